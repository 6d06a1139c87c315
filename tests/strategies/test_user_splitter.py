"""Splitters of users: how they are found, what they can be told, what they may return."""

from __future__ import annotations

import importlib
import os
import pickle
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from contract import NASTY
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from strategies import build, canonical, parameters
from strategies.document import Chunk, Document
from strategies.errors import BadInput, SplitError
from strategies.modifiers import Modifiers
from strategies.nesting import units
from strategies.parameters import made
from strategies.splitting import split
from strategies.strategy import unit_of
from strategies.tools import Tools
from strategies.user_code.user_splitter import UserSplitter, strategy_class

TEXT = "The gate opens at six.\n\nVisitors sign the blue book.\n\nDogs stay outside.\n"

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Writes a module into the current folder and answers its name; it is forgotten in the end."""
    monkeypatch.chdir(tmp_path)
    before = set(sys.modules)

    def write(code: str, name: str = "gate_splitters") -> str:
        path = tmp_path.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(exist_ok=True)
        path.write_text(textwrap.dedent(code), encoding="utf-8")
        return name

    yield write
    for name in set(sys.modules) - before:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def built(name: str, **given: object) -> UserSplitter:
    return made(strategy_class(name), given, name)


def chunks(strategy: UserSplitter, text: str = TEXT) -> tuple[Chunk, ...]:
    return split(Document("rules/gate.md", text), strategy, Tools())


def texts(strategy: UserSplitter, text: str = TEXT) -> list[str]:
    return [chunk.text for chunk in chunks(strategy, text)]


class TestKinds:
    def test_a_function_that_returns_texts(self, write: Write) -> None:
        write("def blocks(text, gap='\\n\\n'): return text.split(gap)")
        assert texts(built("gate_splitters:blocks")) == [
            "The gate opens at six.",
            "Visitors sign the blue book.",
            "Dogs stay outside.\n",
        ]
        assert len(texts(built("gate_splitters:blocks", gap="\n"))) == 3  # blank ones are no chunks
        assert len(texts(built("gate_splitters:blocks", gap=" "))) == 11

    def test_a_function_that_returns_spans(self, write: Write) -> None:
        write(
            """
            def windows(text: str, *, size: int, overlap: int = 0):
                starts = range(0, len(text) - overlap, size - overlap)
                return [(at, min(at + size, len(text))) for at in starts]
            """
        )
        found = chunks(built("gate_splitters:windows", size=40, overlap=15))
        assert [(chunk.start, chunk.end) for chunk in found] == [(0, 40), (25, 65), (50, 73)]

    def test_a_class_that_is_called(self, write: Write) -> None:
        write(
            """
            class Every:
                def __init__(self, lines: int):
                    self.lines = lines
                def __call__(self, text):
                    found = text.splitlines(keepends=True)
                    return ["".join(found[at : at + self.lines]) for at in range(0, len(found), self.lines)]
            """
        )
        assert [len(one.splitlines()) for one in texts(built("gate_splitters:Every", lines=2))] == [2, 2, 1]

    @pytest.mark.parametrize("method", ["split_text", "split", "__call__"])
    def test_a_class_with_a_method(self, write: Write, method: str) -> None:
        write(f"class Halves:\n    def {method}(self, text): return [text[:9], text[9:]]")
        assert texts(built("gate_splitters:Halves")) == [TEXT[:9], TEXT[9:]]

    def test_a_class_is_called_before_it_is_asked_to_split(self, write: Write) -> None:
        write(
            "class Two:\n def split(self, text): return [text]\n def __call__(self, text): return [text[:9]]"
        )
        assert texts(built("gate_splitters:Two")) == [TEXT[:9]]

    def test_an_object_of_a_module(self, write: Write) -> None:
        write(
            """
            import functools
            class Splitter:
                def split_text(self, text, at=9): return [text[:at], text[at:]]
            def cut(text, at, keep=True): return [text[:at], text[at:]] if keep else [text[:at]]
            splitter, short = Splitter(), functools.partial(cut, at=4)
            """
        )
        assert texts(built("gate_splitters:splitter", at=5)) == [TEXT[:5], TEXT[5:]]
        assert texts(built("gate_splitters:short", keep=False)) == [TEXT[:4]]

    def test_a_generator(self, write: Write) -> None:
        write("def lines(text):\n    for line in text.splitlines(): yield line")
        assert len(texts(built("gate_splitters:lines"))) == 3

    def test_a_module_in_a_package(self, write: Write) -> None:
        write("def whole(text): return [text]", "gate_package.splitters")
        assert texts(built("gate_package.splitters:whole")) == [TEXT]

    def test_it_is_built_once_for_all_documents(self, write: Write) -> None:
        write(
            """
            built = []
            class Slow:
                def __init__(self, n=1): built.append(n)
                def __call__(self, text): return [text]
            """
        )
        strategy = built("gate_splitters:Slow")
        assert sys.modules["gate_splitters"].built == []  # a plan of a hundred builds none
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda number: texts(strategy, f"{number}."), range(20)))
        assert sys.modules["gate_splitters"].built == [1]

    def test_what_it_imports_when_it_is_called_is_found(self, write: Write) -> None:
        write("def half(text): return [text[: len(text) // 2]]", "gate_halves")
        write(
            """
            def returned(text):
                from gate_halves import half
                return half(text)
            def yielded(text):
                import gate_later
                yield from gate_later.half(text)
            """
        )
        write("from gate_halves import half", "gate_later")
        assert len(texts(built("gate_splitters:returned"))) == 1
        assert len(texts(built("gate_splitters:yielded"))) == 1


class TestParameters:
    def test_annotations_become_types(self, write: Write) -> None:
        write(
            """
            from collections.abc import Sequence
            from typing import Annotated, Callable, Literal, Optional
            def split(text, size: int, share: "float" = 0.5, gap: str = " ", strict: bool = False,
                      marks: list[str] = ["."], pair: tuple[int, int] = (1, 2), many: Sequence[float] = (),
                      most: Optional[int] = None, least: int = None, side: Literal["left", "right"] = "left",
                      count: Callable[[str], int] = len, either: int | str = "10%", bare=3, odd: float = "x",
                      more: Annotated[int, "units"] = 1, every: list = [], **rest): return [text]
            """
        )
        found = {one.name: one for one in parameters(strategy_class("gate_splitters:split"))}
        assert {name: one.type for name, one in found.items()} == {
            "size": "whole number",
            "share": "number",
            "gap": "text",
            "strict": "true or false",
            "marks": "list of text",
            "pair": "list of whole number",
            "many": "list of number",
            "most": "whole number or null",
            "least": "whole number or null",
            "side": "left or right",
            "count": "any value",
            "either": "whole number or text",
            "bare": "any value",
            "odd": "any value",
            "more": "whole number",
            "every": "list of any value",
        }
        assert [name for name, one in found.items() if one.required] == ["size"]
        assert found["marks"].default == ["."]
        assert found["count"].default is None  # the function itself, which no file could hold
        assert found["odd"].default == "x"
        assert all(one.help for one in found.values())

    def test_values_arrive_as_the_callable_wants_them(self, write: Write) -> None:
        write(
            """
            seen = {}
            def split(text, size: int, marks: list[str], pair: tuple[int, ...], plain, share: float = 1,
                      nothing: int | None = 5, count=len, infinite=float("inf")):
                seen.update(locals())
                return [text]
            """
        )
        strategy = built(
            "gate_splitters:split", size=3.0, marks=["a"], pair=[1, 2], plain=[4.0, [True]], nothing=None
        )
        texts(strategy)
        seen = sys.modules["gate_splitters"].seen
        assert repr({key: value for key, value in seen.items() if key not in ("text", "count")}) == repr(
            {"size": 3, "marks": ["a"], "pair": (1, 2), "plain": [4, [True]], "share": 1.0, "nothing": None}
            | {"infinite": float("inf")}
        )
        assert seen["count"] is len

    def test_they_have_one_form(self, write: Write) -> None:
        write("def split(text, size, marks=(), share: float = 1): return [text]")
        one = built("gate_splitters:split", size=24.0, marks=[3.0], share=1)
        assert repr(canonical(one)) == repr(
            {"strategy": "gate_splitters:split", "size": 24, "marks": [3], "share": 1.0}
        )
        assert one == built("gate_splitters:split", size=24, marks=[3])
        assert (
            canonical(built("gate_splitters:split", **(canonical(one) | {"strategy": 0}))) if False else True
        )

    def test_their_size_overlap_and_unit_are_their_own(self, write: Write) -> None:
        write("def split(text, size=5, overlap='half', unit='stanzas'): return [text]")
        form = canonical(built("gate_splitters:split", overlap="10%", unit="verses"))
        assert form == {"strategy": "gate_splitters:split", "size": 5, "overlap": "10%", "unit": "verses"}
        strategy = built("gate_splitters:split", size="long", unit=3)
        assert (units(strategy), unit_of(strategy)) == ((), None)  # nothing is counted in it
        assert split(Document("one", TEXT), strategy, Tools(), Modifiers(min_chunk=99))
        inside = {"strategy": "gate_splitters:split", "size": "long", "unit": "verses"}
        for outer in (
            build("atoms", {"size": 9, "prose": inside}),
            build("contextual", {"base": inside, "base_url": "http://127.0.0.1:9/v1", "model": "none"}),
        ):
            assert units(outer) == ("cl100k_base",)

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"size": 0}, "size: is 0; use 1 or more"),
            ({"size": -3}, "size: is -3; use 1 or more"),
            ({"size": "2e2"}, "size: is the text '2e2', not a whole number. Write 200"),
            ({"sise": 3, "size": 1}, "sise: is not a parameter of gate_splitters:split. Did you mean size?"),
            ({}, r"size: is missing \(parameter of split\). gate_splitters:split needs it"),
            ({"size": 1, "plain": float("nan")}, "plain: is nan, not a number"),
            ({"size": 1, "plain": [1, {2}]}, "plain: is a set, not a text"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, write: Write, given: dict[str, object], said: str) -> None:
        write("def split(text, size: int, plain=None): return [text]")
        with pytest.raises(BadInput, match=said):
            built("gate_splitters:split", **given)

    def test_all_problems_are_reported_at_once(self, write: Write) -> None:
        write("def split(text, size: int, keep: bool = False): return [text]")
        with pytest.raises(BadInput) as error:
            built("gate_splitters:split", keep=1, gap=2)
        assert {problem.where for problem in error.value.problems} == {"size", "keep", "gap"}

    @pytest.mark.parametrize("word", ["strategy", "headings", "parents", "neighbours", "min_chunk", "name"])
    def test_a_word_of_sweep_files_keeps_its_meaning(self, write: Write, word: str) -> None:
        write(f"def kept(text, {word}=7): return [text[:{word}]]\ndef needed(text, {word}): return [text]")
        strategy = built("gate_splitters:kept")
        assert (strategy.name, texts(strategy)) == ("gate_splitters:kept", [TEXT[:7]])
        with pytest.raises(BadInput, match=f"gate_splitters:needed: its parameter {word} has a name that"):
            strategy_class("gate_splitters:needed")

    def test_annotations_that_name_nothing_are_not_heeded(self, write: Write) -> None:
        write("from __future__ import annotations\ndef split(text: Text, size: int, m: M = 1): return [text]")
        assert [one.type for one in parameters(strategy_class("gate_splitters:split"))] == ["any value"] * 2
        with pytest.raises(BadInput, match="size: is 0"):
            built("gate_splitters:split", size=0)

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            ("def split(): return []", "takes no text"),
            ("def split(*, size): return []", "takes no text"),
            ("def split(text, size, /): return []", "its parameter size is taken by position alone"),
            ("async def split(text): return []", "is asynchronous"),
            (
                "class split:\n    def __init__(self, size): pass",
                "takes no text. Give it `__call__`, or one of",
            ),
            ("split = 7", "takes no text. Give it `__call__`, or one of"),
            ("split = type", "takes no text|does not tell its parameters"),
            ("split = dict.fromkeys", ""),
        ],
    )
    def test_what_cannot_split_is_refused(self, write: Write, code: str, said: str) -> None:
        write(code)
        if not said:
            strategy_class("gate_splitters:split")
            return
        with pytest.raises(BadInput, match=said):
            strategy_class("gate_splitters:split")

    def test_any_number_of_texts_and_parameters_is_fine(self, write: Write) -> None:
        write("def split(*texts, **given): return list(texts)")
        assert texts(built("gate_splitters:split")) == [TEXT]
        assert parameters(strategy_class("gate_splitters:split")) == ()


class TestReturned:
    def test_texts_that_overlap(self, write: Write) -> None:
        write(
            """
            def words(text, size, overlap):
                found = text.split()
                for at in range(0, len(found) - overlap, size - overlap):
                    yield " ".join(found[at : at + size])
            """
        )
        found = chunks(built("gate_splitters:words", size=6, overlap=3), "tick tick tick tack " * 9)
        assert [chunk.start for chunk in found] == [15 * at for at in range(11)]
        for one, following in pairwise(found):
            assert len(one.text[following.start - one.start :].split()) == 3

    def test_texts_that_repeat_and_do_not_overlap(self, write: Write) -> None:
        write("def words(text): return ['na na'] * 4")
        found = chunks(built("gate_splitters:words"), "na " * 8)
        assert [(chunk.start, chunk.end) for chunk in found] == [(0, 5), (6, 11), (12, 17), (18, 23)]

    def test_white_space_may_differ_and_is_embedded_as_returned(self, write: Write) -> None:
        write("def closed(text): return [' '.join(text.split())]")
        (chunk,) = chunks(built("gate_splitters:closed"))
        assert chunk.text == TEXT.strip()
        assert chunk.embedded_text == " ".join(TEXT.split())

    def test_no_chunk_at_all(self, write: Write) -> None:
        write("def none(text): return []")
        assert chunks(built("gate_splitters:none")) == ()

    def test_numbers_of_other_libraries_are_numbers(self, write: Write) -> None:
        write("import numpy as np\ndef spans(text): return np.array([[0, 4], [4, 9]])")
        assert texts(built("gate_splitters:spans")) == [TEXT[:4], TEXT[4:9]]

    @pytest.mark.parametrize(
        ("returned", "said"),
        [
            ("None", r"returned nothing \(None\), not a list of texts or of \(start, end\) pairs"),
            ("7", "returned a int, 7, not a list"),
            ("text", "returned a str, 'The gate.*, not a list"),
            ("{text: 1}", "returned a dict, .*, not a list"),
            ("{text}", "returned a set, .*, not a list"),
            ("[7]", r"returned a int, 7 as chunk 0, not a text or a \(start, end\) pair"),
            ("[[text]]", "returned a list, .* as chunk 0, not a text"),
            ("[None]", r"returned nothing \(None\) as chunk 0"),
            ("[b'ab']", "returned a bytes, b'ab' as chunk 0"),
            ("[(0, 5), text]", r"returned a str, .* as chunk 1, not a \(start, end\) pair"),
            ("[text[:5], (5, 9)]", r"returned a tuple, \(5, 9\) as chunk 1, after texts"),
            ("[(0, 5.0)]", "as chunk 0"),
            ("[(0, True)]", "as chunk 0"),
            ("[(0, 1, 2)]", "as chunk 0"),
            (
                "[(0, 900)]",
                r"chunk 0 of gate_splitters:bad, \[0:900\], is not a range of its 73 characters: 'The",
            ),
            ("[(-2, 9)]", r"\[-2:9\], is not a range"),
            ("[(9, 2)]", r"\[9:2\], is not a range"),
            ("[(0, 10**30)]", "is not a range"),
            ("[(9, 12), (0, 5)]", "does not start after the one before"),
            ("['The gate opens at nine.']", "stands nowhere in the document: 'The gate opens at nine.'"),
            ("['Dogs stay', 'The gate']", "chunk 1 stands before the start of the chunk before it"),
            ("iter(lambda: text, 0)", "returned more than 392 chunks of 73 characters"),
            ("iter(lambda: '', 0)", "returned more than 392 chunks"),
        ],
    )
    def test_what_is_no_chunk_fails_the_document(self, write: Write, returned: str, said: str) -> None:
        write(f"def bad(text): return {returned}")
        with pytest.raises(SplitError, match=said) as error:
            chunks(built("gate_splitters:bad"))
        assert "rules/gate.md" in str(error.value)
        assert "gate_splitters:bad" in str(error.value)

    @pytest.mark.parametrize("where", ["returned", "yielded", "built"])
    def test_an_error_of_the_splitter_fails_the_document(self, write: Write, where: str) -> None:
        write(
            """
            def returned(text): return [][3]
            def yielded(text):
                yield text[:4]
                [][3]
            class built:
                def __init__(self): [][3]
                def split(self, text): return []
            """
        )
        with pytest.raises(SplitError) as error:
            chunks(built(f"gate_splitters:{where}"))
        assert str(error.value) == (
            f"rules/gate.md: gate_splitters:{where} raised IndexError: list index out of range"
        )
        assert isinstance(error.value.__cause__, IndexError)

    def test_it_cannot_end_the_program(self, write: Write) -> None:
        write("def leave(text): raise SystemExit")
        with pytest.raises(SplitError, match=r"leave raised SystemExit$"):
            chunks(built("gate_splitters:leave"))

    def test_an_interrupt_goes_through(self, write: Write) -> None:
        write("def stop(text): raise KeyboardInterrupt")
        with pytest.raises(KeyboardInterrupt):
            chunks(built("gate_splitters:stop"))

    @pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
    def test_nasty_texts(self, write: Write, text: str) -> None:
        write(
            """
            import re
            def sentences(text): return re.split(r"(?<=[.!?。])\\s*", text)
            def spans(text): return [match.span() for match in re.finditer(r"\\S+\\s*\\S*", text)]
            def words(text): return text.split()
            """
        )
        for name in ("sentences", "spans", "words"):
            found = chunks(built(f"gate_splitters:{name}"), text)
            assert "".join("".join(chunk.text.split()) for chunk in found) == "".join(text.split())

    @settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        text=st.text("ab \n.", max_size=40),
        size=st.integers(1, 9),
        overlap=st.integers(0, 8),
        as_text=st.booleans(),
    )
    def test_windows_lie_where_they_were_cut(
        self, write: Write, text: str, size: int, overlap: int, as_text: bool
    ) -> None:
        overlap = min(overlap, size - 1)
        write(
            """
            def windows(text, size, overlap, as_text):
                starts = range(0, max(len(text) - overlap, 1), size - overlap)
                spans = [(at, min(at + size, len(text))) for at in starts]
                return [text[start:end] for start, end in spans] if as_text else spans
            """
        )
        strategy = built("gate_splitters:windows", size=size, overlap=overlap, as_text=as_text)
        found = chunks(strategy, text)
        for chunk in found:
            assert chunk.text == text[chunk.start : chunk.end]
        if not as_text and overlap == 0:
            assert "".join("".join(chunk.text.split()) for chunk in found) == "".join(text.split())


class TestFinding:
    @pytest.mark.parametrize(
        ("name", "said"),
        [
            (
                "gate_spliters:lines",
                "gate_spliters is not a module that can be imported from here: No module",
            ),
            ("gate_spliters:lines", "Did you mean gate_splitters"),
            ("zebra_zoo:lines", "Run from the folder that holds it"),
            ("gate_splitters:line", "gate_splitters has no line. Did you mean lines?"),
            ("gate_splitters:zebra", "gate_splitters has no zebra. Known: lines$"),
            ("gate_splitters.inner:lines", "is not a module that can be imported from here"),
            ("gate splitters:lines", "'gate splitters:lines' is not a strategy. Write my_module:my_splitter"),
            ("gate_splitters:a:b", "is not a strategy. Write my_module:my_splitter"),
            ("gate_splitters:", "is not a strategy"),
            (":lines", "is not a strategy"),
            ("lines", "is not a strategy"),
            ("../gate_splitters:lines", "is not a strategy"),
        ],
    )
    def test_what_is_not_there_is_refused_with_what_is(self, write: Write, name: str, said: str) -> None:
        write("from os import path, remove\ndef lines(text): return []")
        with pytest.raises(BadInput, match=said):
            strategy_class(name)

    @pytest.mark.parametrize(
        ("code", "said"),
        [
            (
                "raise ValueError('no gate')",
                "gate_splitters cannot be imported: ValueError: no gate. Try python -c",
            ),
            (
                "import zebra_zoo",
                "gate_splitters cannot be imported: ModuleNotFoundError: No module named 'zebra_zoo'",
            ),
            ("def lines(text) return", "gate_splitters cannot be imported: SyntaxError: "),
            ("import sys; sys.exit(3)", "gate_splitters cannot be imported: SystemExit: 3"),
        ],
    )
    def test_a_module_that_breaks(self, write: Write, code: str, said: str) -> None:
        write(code)
        with pytest.raises(BadInput, match=said) as error:
            strategy_class("gate_splitters:lines")
        assert error.value.__cause__ is not None

    def test_the_current_folder_hides_no_module(self, write: Write) -> None:
        write("raise AssertionError('imported')", "json")
        write("raise AssertionError('imported')", "markdown_it")
        write("import json, markdown_it\ndef lines(text): return json.loads('[]')")
        assert texts(built("gate_splitters:lines")) == []
        for module in ("json", "markdown_it"):
            said = (
                f"{module} has no lines. {module}.py of this folder is hidden by a module of Python or of a"
            )
            with pytest.raises(BadInput, match=said):
                strategy_class(f"{module}:lines")

    @pytest.mark.parametrize("already", [True, False])
    def test_the_path_is_left_as_it_was(
        self, write: Write, already: bool, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write("def lines(text): return text.splitlines()")
        write("1 / 0", "gate_broken")
        if already:
            monkeypatch.syspath_prepend(os.getcwd())
        before = list(sys.path)
        texts(built("gate_splitters:lines"))
        with pytest.raises(BadInput):
            strategy_class("gate_broken:lines")
        assert sys.path == before

    def test_the_path_is_left_as_it_was_among_threads(self, write: Write) -> None:
        write(
            """
            import threading
            both = threading.Barrier(4, timeout=30)
            def lines(text):
                both.wait()
                return text.splitlines()
            """
        )
        before, strategy = list(sys.path), built("gate_splitters:lines")
        threads = [threading.Thread(target=texts, args=(strategy,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sys.path == before

    def test_a_class_is_made_once(self, write: Write) -> None:
        write("def lines(text): return []")
        assert strategy_class("gate_splitters:lines") is strategy_class("gate_splitters:lines")

    def test_edited_code_has_another_version(self, write: Write) -> None:
        code = "def lines(text): return [text]\n"
        first = built(f"{write(code)}:lines")
        assert first.versions().keys() == {"gate_splitters"}
        assert len(first.versions()["gate_splitters"]) == 16
        del sys.modules["gate_splitters"]
        again = built(f"{write(code)}:lines")
        assert again.versions() == first.versions()
        del sys.modules["gate_splitters"]
        edited = built(f"{write(code + '# edited')}:lines")
        assert edited.versions() != first.versions()
        assert texts(edited) == texts(first)

    def test_edited_code_is_not_taken_for_what_was_imported(
        self, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.syspath_prepend(os.getcwd())
        name = f"{write('def lines(text): return [text]')}:lines"
        first = built(name)
        write("GAP = 1\ndef lines(text): return text.split()")
        said = r"gate_splitters.py was changed .*\. Start Python anew, or importlib.reload\(gate_splitters\)"
        for _ in range(2):
            with pytest.raises(BadInput, match=said):
                built(name)
        importlib.reload(sys.modules["gate_splitters"])
        assert texts(built(name)) == TEXT.split()
        assert built(name).versions() != first.versions()
        assert texts(first) == [TEXT]  # still what it was

    def test_what_was_reloaded_unseen_is_refused_until_it_is_reloaded_again(
        self, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its file may have been edited once more behind the reload."""
        monkeypatch.syspath_prepend(os.getcwd())
        built(f"{write('def lines(text): return [text]')}:lines")
        write("GAP = 1\ndef lines(text): return text.split()")
        importlib.reload(sys.modules["gate_splitters"])
        with pytest.raises(BadInput, match="may have been changed"):
            strategy_class("gate_splitters:lines")
        importlib.reload(sys.modules["gate_splitters"])
        assert texts(built("gate_splitters:lines")) == TEXT.split()

    def test_an_edit_that_is_taken_back_is_none(self, write: Write) -> None:
        code = "def lines(text): return [text]"
        first = built(f"{write(code)}:lines")
        write("def lines(text): return []")
        with pytest.raises(BadInput, match="was changed"):
            strategy_class("gate_splitters:lines")
        write(code)
        assert strategy_class("gate_splitters:lines") is type(first)

    def test_what_others_imported_is_refused_if_its_file_is_newer_than_python(
        self, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It may have been edited in between, and the old code would be called the new one."""
        monkeypatch.syspath_prepend(os.getcwd())
        module = importlib.import_module(write("def lines(text): return [text]"))
        write("GAP = 1\ndef lines(text): return []")
        for _ in range(2):
            with pytest.raises(BadInput, match=r"gate_splitters\.py may have been changed since it was imp"):
                strategy_class("gate_splitters:lines")
        importlib.reload(module)
        assert texts(built("gate_splitters:lines")) == []

    def test_what_others_imported_is_taken_if_its_file_is_older_than_python(
        self, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.syspath_prepend(os.getcwd())
        importlib.import_module(write("def lines(text): return [text]"))
        monkeypatch.setattr("strategies.user_code.loads._began", lambda: time.time() + 60)
        assert len(built("gate_splitters:lines").versions()["gate_splitters"]) == 16

    def test_code_of_another_module_is_held_to_the_same(
        self, write: Write, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.syspath_prepend(os.getcwd())
        write("def lines(text): return [text]", "gate_home")
        name = f"{write('from gate_home import lines')}:lines"
        first = built(name)
        write("GAP = 1\ndef lines(text): return []", "gate_home")
        with pytest.raises(BadInput, match=r"gate_home\.py was changed"):
            built(name)
        write("def lines(text): return [text]", "gate_home")
        assert built(name) == first
        write("from gate_home import lines\nGAP = 1")
        with pytest.raises(BadInput, match=r"gate_splitters\.py was changed"):
            built(name)
        importlib.reload(sys.modules["gate_splitters"])  # the function itself is the same one
        assert built(name).versions() != first.versions()

    def test_code_of_another_module_counts_too(self, write: Write) -> None:
        write("def lines(text): return []", "gate_home")
        write("from gate_home import lines")
        assert built("gate_splitters:lines").versions().keys() == {"gate_splitters", "gate_home"}

    def test_it_goes_to_other_processes_by_name(self, write: Write) -> None:
        write(
            "class Lines:\n def __init__(self, n=2): pass\n def split(self, text): return text.splitlines()"
        )
        strategy = built("gate_splitters:Lines", n=3)
        texts(strategy)
        assert pickle.loads(pickle.dumps(strategy)) == strategy

    def test_libraries_that_are_known_are_no_modules_of_users(self, write: Write) -> None:
        with pytest.raises(
            BadInput, match=r"'chonkie:TokenChunkr' is not a strategy. Did you mean chonkie:Token"
        ):
            strategy_class("chonkie:TokenChunkr")
        with pytest.raises(BadInput, match="To use more of it, call it in a function of your own"):
            strategy_class("chonkie:CodeChunker")
        with pytest.raises(BadInput, match=r"chonki is not a module .* Did you mean chonkie:TokenChunker?"):
            strategy_class("chonki:TokenChunker")
