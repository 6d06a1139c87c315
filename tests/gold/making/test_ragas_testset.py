"""What needs ragas' TestsetGenerator: it takes seconds to import, so that all of it stands here.

The model is an endpoint on this machine, the embedder a hash; ragas itself is real.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.gold import Question, load
from evaluation.gold.making import testset
from evaluation.gold.making.candidates import Dropped
from evaluation.gold.making.testset import placed
from evaluation.gold.quotes import Corpus
from experiments.cli.app import run
from strategies.document import Document
from strategies.units.counting import counter_of

from ...evaluation.judging.judge_server import given, schema  # noqa: TID252  (a neighbour's)
from ...strategies.chat_server import ChatServer, Reply, fails, says  # noqa: TID252
from .question_server import question_server, village

pytestmark = pytest.mark.slow

MakeSet = Callable[..., Path]
Generate = Callable[..., tuple[int, str, str]]


def synthesizes(**special: Callable[[dict[str, Any]], object]) -> Callable[[str], Reply]:
    """Replies as ragas asks; `special` stands in for what is answered to a form."""
    plain: dict[str, Callable[[dict[str, Any]], object]] = {
        "NEROutput": lambda given: {"entities": ["Goats", *re.findall(r"Owner\d+", given["text"])[:4]]},
        "Persona": lambda given: {
            "name": f"Clerk {len(given['text'])}",
            "role_description": "Keeps the roll.",
        },
        "PersonaThemesMapping": lambda given: {
            "mapping": {"Nobody": given["themes"]}
            | {one["name"]: given["themes"] for one in given["personas"]}
        },
        "GeneratedQueryAnswer": lambda given: {
            "query": f"What of {given.get('term') or given['themes'][0]} for {given['persona']['name']}"
            f" in {len(str(given['context']))} marks?",
            "answer": "So many.",
        },
    }
    answers = plain | special

    def reply(prompt: str) -> Reply:
        made = answers[schema(prompt)](given(prompt))
        return made if isinstance(made, Reply) else says(json.dumps(made), usage=(100, 10))

    return reply


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("evaluation.embedding.open_embedder", lambda spec: HashingEmbedder(dim=64))
    with question_server(synthesizes()) as listening:
        yield listening


@pytest.fixture
def folder(make_set: MakeSet) -> Path:
    return make_set(village(), "", "name: village\n")


@pytest.fixture
def generate(server: ChatServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Generate:
    def call(path: Path, *more: str, cache: str = "cache") -> tuple[int, str, str]:
        words = ["--base-url", server.url, "--model", "m", "--set", "retries=0", "--set", "concurrency=3"]
        own = ["--generator", "ragas", "--questions", "8", "--cache-dir", str(tmp_path / cache)]
        code = run(["gold", "generate", str(path), *words, *own, *more])
        return code, *capsys.readouterr()

    return call


def forms(server: ChatServer) -> Counter[str]:
    return Counter(map(schema, server.prompts))


def test_contexts_are_ranges_of_documents(generate: Generate, folder: Path, server: ChatServer) -> None:
    code, out, err = generate(folder, "--yes")
    assert (code, err) == (0, "")
    gold = load(folder)
    assert len(gold.questions) == 8
    assert "8 of 8 questions" in out
    tags = Counter(tag for question in gold.questions for tag in question.tags)
    assert tags["single_hop_specific_query_synthesizer"] == 6
    assert tags["multi_hop_specific_query_synthesizer"] == 2
    assert {(one.synthetic, one.answer) for one in gold.questions} == {("model", "So many.")}
    texts = {document.id: document.text for document in gold.documents}
    shown = [given(prompt) for prompt in server.prompts if schema(prompt) == "GeneratedQueryAnswer"]
    contexts = {
        re.sub(r"^<\d-hop>\n\n", "", text)
        for one in shown
        for text in ([one["context"]] if isinstance(one["context"], str) else one["context"])
    }
    places = [entry.passages[0] for question in gold.questions for entry in question.evidence]
    assert {texts[place.document][place.start : place.end] for place in places} == contexts
    assert forms(server)["NEROutput"] == 8
    assert forms(server)["GeneratedQueryAnswer"] == 8


def test_the_estimate_bounds_what_is_asked(generate: Generate, folder: Path, server: ChatServer) -> None:
    estimate = json.loads(generate(folder, "--dry-run", "--json")[1])["estimate"]
    assert server.asked == []
    generate(folder, "--yes")
    asked, tokens = len(server.asked), sum(map(counter_of("cl100k_base").count, server.prompts))
    assert estimate["expected"]["requests"] <= estimate["most"]["requests"]
    assert estimate["expected"]["requests"] - 8 <= asked <= estimate["most"]["requests"]
    assert tokens <= estimate["most"]["input_tokens"]
    assert json.loads(generate(folder, "--dry-run", "--json")[1])["estimate"]["most"]["requests"] == 0


def test_again_it_asks_nothing_and_elsewhere_it_makes_the_same(
    generate: Generate, folder: Path, server: ChatServer, make_set: MakeSet
) -> None:
    first = json.loads(generate(folder, "--yes", "--json")[1])
    asked, content = list(server.prompts), (folder / "questions.jsonl").read_bytes()
    assert len(asked) == len(set(asked)), "the same prompt is paid for once"
    again = json.loads(generate(folder, "--json")[1])
    assert (again["kept"], again["added"], len(server.asked)) == (first["kept"], [], len(asked))
    assert (folder / "questions.jsonl").read_bytes() == content
    copy = make_set(village(), "", "name: village\n", folder="copy")
    assert json.loads(generate(copy, "--yes", "--json", cache="new")[1])["kept"] == first["kept"]
    assert sorted(server.prompts[len(asked) :]) == sorted(asked)


@pytest.mark.parametrize("form", ["NEROutput", "Persona", "PersonaThemesMapping", "GeneratedQueryAnswer"])
def test_what_fails_is_named_and_the_rest_is_made(
    form: str, generate: Generate, folder: Path, server: ChatServer
) -> None:
    failing = iter([True])

    def once(values: dict[str, Any]) -> object:
        plain = json.loads(json.loads(synthesizes()(prompts[-1]).body)["choices"][0]["message"]["content"])
        return fails(400, "not this one") if next(failing, False) else plain

    prompts: list[str] = []
    healthy = synthesizes()
    special = synthesizes(**{form: once})

    def reply(prompt: str) -> Reply:
        prompts.append(prompt)
        return special(prompt) if schema(prompt) == form else healthy(prompt)

    server.answer = reply
    code, out, _ = generate(folder, "--yes", "--json", "--set", "concurrency=1")
    made = json.loads(out)
    assert code == 1
    assert [one["what"] for one in made["failures"]] == ["HTTP 400: not this one"]
    where = made["failures"][0]["where"]
    assert where.startswith("rolls/part") or (form == "PersonaThemesMapping" and where == "ragas, themes")
    assert 5 <= len(made["kept"]) <= 8
    server.answer = healthy
    code, out, _ = generate(folder, "--yes", "--json", "--set", "concurrency=1")
    assert (code, len(json.loads(out)["kept"])) == (0, 8)


def test_an_answer_without_form_is_dropped(generate: Generate, folder: Path, server: ChatServer) -> None:
    server.answer = synthesizes(GeneratedQueryAnswer=lambda given: {"query": 7})
    code, out, _ = generate(folder, "--yes", "--json")
    made = json.loads(out)
    assert (code, made["kept"], made["dropped"]) == (0, [], {"form": 8})


def test_other_answers_without_form_are_no_dropped_questions(
    generate: Generate, folder: Path, server: ChatServer
) -> None:
    plain = synthesizes()
    server.answer = lambda prompt: says("none") if schema(prompt) == "NEROutput" else plain(prompt)
    code, out, _ = generate(folder, "--yes", "--json")
    made = json.loads(out)
    assert (code, made["dropped"], made["formless"]) == (0, {}, {"entities": 8})
    assert len(made["kept"]) + len(made["refused"]) == made["asked"]
    assert "8  replies had not the form: entities, which are no questions" in generate(folder)[1]


def test_ragas_writes_nothing_into_the_home(
    generate: Generate, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ragas import _analytics

    home = tmp_path / "home"
    monkeypatch.setattr(_analytics, "user_data_dir", lambda appname: str(home))
    _analytics.get_userid.cache_clear()
    assert generate(folder, "--yes")[0] == 0
    assert not home.exists()
    _analytics.get_userid()
    assert home.exists(), "where it would have been"
    _analytics.get_userid.cache_clear()


def test_nothing_to_ask_about(generate: Generate, make_set: MakeSet, server: ChatServer) -> None:
    path = make_set({"a.md": "\n"}, "", "name: blank\n", folder="blank")
    assert "no passage is left to ask about" in generate(path, "--yes")[1]
    one = make_set({"a.md": "The gate opens at six."}, "", "name: gate\n", folder="gate")
    code, out, _ = generate(one, "--yes", "--json")
    assert code == 0
    assert 1 <= len(json.loads(out)["kept"]) <= 8


def test_without_ragas_it_says_what_to_install(
    generate: Generate, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ImportError("no such thing")

    monkeypatch.setattr("evaluation.gold.making.ragas_testset._classes", broken)
    from evaluation.gold.making import ragas_testset

    ragas_testset.library.cache_clear()
    code, _, err = generate(folder, "--yes")
    ragas_testset.library.cache_clear()
    assert code == 2
    assert "--generator: ragas cannot be used: ImportError: no such thing. Install it (pip install" in err


class TestPlaces:
    CORPUS = Corpus(
        {"a": Document("a", "One. The gate\nopens at six."), "b": Document("b", "The lamp burns at noon.")}
    )

    def row(self, *contexts: str, question: str = "When?") -> Question | Dropped:
        sample = SimpleNamespace(user_input=question, reference="At six.", reference_contexts=list(contexts))
        return placed("kind", sample, self.CORPUS)

    def test_exactly_or_folded(self) -> None:
        found = self.row("<1-hop>\n\nthe GATE opens", "<2-hop>\n\nlamp burns")
        assert isinstance(found, Question)
        places = [entry.passages[0] for entry in found.evidence]
        assert [(place.document, place.start, place.end) for place in places] == [("a", 5, 19), ("b", 4, 14)]
        assert found.tags == ("multi", "across", "kind")

    @pytest.mark.parametrize("context", ["The gate opened at six.", "", "<1-hop>\n\n"])
    def test_never_nearly(self, context: str) -> None:
        assert self.row("The lamp", context) == Dropped("places", "When?")

    def test_what_points_is_dropped(self) -> None:
        assert self.row("The lamp", question="What does the passage say?").reason == "points"  # type: ignore[union-attr]


def test_the_packaged_embedder_gives_unit_vectors(tmp_path: Path, server: ChatServer) -> None:
    vectors = testset._packaged(tmp_path)(["The gate opens at six.", "The lamp burns."])
    assert vectors.shape == (2, 64)
    assert (vectors**2).sum(axis=1) == pytest.approx(1, abs=1e-5)
