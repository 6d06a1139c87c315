"""Strategies inside strategies, and documents that take different ways."""

from __future__ import annotations

from typing import Any

import pytest

from strategies import build, canonical
from strategies.document import Document
from strategies.errors import BadInput
from strategies.nesting import embeds_more, is_many_to_one, is_native, needs, units, walk
from strategies.splitting import split
from strategies.tools import Tools
from strategies.within import cuts_within

ROUTES: list[dict[str, Any]] = [
    {"media_type": "text/markdown", "use": "markdown"},
    {"path": "logs/*", "use": {"strategy": "fixed", "overlap": "50%"}},
    {"metadata": {"team": "ops", "year": 2024}, "use": {"strategy": "sentence", "sentences": 1}},
]
TEXT = "# One two. Three four five. Six."


def routed(**values: object) -> Any:
    return build("routed", {"size": 4, "unit": "words", "routes": ROUTES} | values)


def texts(document: Document, strategy: Any) -> list[str]:
    return [chunk.text.strip() for chunk in split(document, strategy, Tools())]


class TestRouted:
    def test_strategies_inherit_what_they_do_not_say(self) -> None:
        markdown, fixed, sentence = (route.use for route in routed().routes)
        assert (markdown.name, markdown.size, markdown.unit) == ("markdown", 4, "words")
        assert (fixed.size, fixed.overlap, fixed.unit) == (4, 2, "words")
        assert (sentence.size, sentence.sentences) == (None, 1)
        assert routed().otherwise == build("recursive", {"size": 4, "unit": "words"})

    def test_the_first_route_that_fits_is_taken(self) -> None:
        ops = {"team": "ops", "year": 2024}
        assert texts(Document("logs/a.md", TEXT, ops, "text/markdown"), routed()) == texts(
            Document("a.md", TEXT, {}, "text/markdown"), build("markdown", {"size": 4, "unit": "words"})
        )
        assert texts(Document("logs/a.txt", TEXT, ops), routed()) == [
            "# One two. Three", "two. Three four five.", "four five. Six.",
        ]  # fmt: skip
        assert texts(Document("a.txt", TEXT, ops), routed()) == ["# One two.", "Three four five.", "Six."]
        assert texts(Document("a.txt", TEXT), routed()) == texts(
            Document("a.txt", TEXT), build("recursive", {"size": 4, "unit": "words"})
        )

    def test_brackets_in_a_pattern_stand_for_themselves(self) -> None:
        routes = [{"path": "logs [2024]/*", "use": "sentence"}]
        (route,) = routed(routes=routes).routes
        assert route.fits(Document("logs [2024]/a.txt", TEXT))
        assert not route.fits(Document("logs 2/a.txt", TEXT))

    @pytest.mark.parametrize(
        "metadata", [{"team": "ops"}, {"team": "ops", "year": "2024"}, {"team": "ops", "year": True}]
    )
    def test_metadata_must_all_be_equal_in_kind_too(self, metadata: dict[str, Any]) -> None:
        assert not routed().routes[2].fits(Document("a.txt", TEXT, metadata))
        assert routed().routes[2].fits(Document("a.txt", TEXT, {"team": "ops", "year": 2024.0}))

    def test_all_that_is_wrong_is_said_with_its_place(self) -> None:
        routes = [
            {"use": "markdown"},
            {"path": "*", "use": {"strategy": "fixed", "size": 0}},
            {"pth": "*", "use": "sentenc"},
            7,
        ]
        with pytest.raises(BadInput) as error:
            build("routed", {"size": 4, "routes": routes[:1]})
        assert [str(problem) for problem in error.value.problems] == [
            "routes[0].use: says for no document that it is meant for it. "
            "Give media_type, path or metadata beside it"
        ]
        with pytest.raises(BadInput, match=r"routes\[0\].size: is 0|routes\[0\].use.size: is 0"):
            build("routed", {"routes": routes[1:2]})
        with pytest.raises(BadInput) as error:
            build("routed", {"routes": routes[2:3], "otherwise": {"strategy": "fixed", "size": -1}})
        said = {problem.where: problem.what for problem in error.value.problems}
        assert said["routes[0].use.strategy"] == "'sentenc' is not a strategy"
        assert said["otherwise.size"] == "is -1"
        assert said["routes[0].pth"].startswith("is not a parameter of a route")

    def test_what_is_wrong_in_several_routes_is_said_at_once(self) -> None:
        routes = [
            {"media_typ": "text/html", "use": "html"},
            {"path": "*.md", "use": "markdwn"},
            {"path": "*", "use": "fixed", "metadata": {"tags": ["a"]}},
        ]
        with pytest.raises(BadInput) as error:
            routed(routes=routes)
        assert {problem.where for problem in error.value.problems} >= {
            "routes[0].media_typ",
            "routes[1].use.strategy",
            "routes[2].metadata.tags",
        }
        with pytest.raises(BadInput, match="routes: is empty"):
            routed(routes=[])

    def test_a_parameter_that_was_meant_is_not_missing(self) -> None:
        with pytest.raises(BadInput) as error:
            build("routed", {"routes": ROUTES, "otherwise": {"strategy": "fixed", "siz": 4}})
        assert [problem.where for problem in error.value.problems if "otherwise" in problem.where] == [
            "otherwise.siz"
        ]

    def test_a_strategy_without_a_size_says_where_one_is_missing(self) -> None:
        with pytest.raises(BadInput, match=r"otherwise.size: is missing"):
            build("routed", {"routes": [{"path": "*.md", "use": {"strategy": "fixed", "size": 3}}]})


class TestWhole:
    def test_what_holds_for_the_whole_is_told_of_all_inside(self) -> None:
        inner = {"strategy": "semantic", "unit": "characters", "size": 9}
        whole = routed(otherwise=inner)
        assert [one.name for one in walk(whole)] == ["routed", "markdown", "fixed", "sentence", "semantic"]
        assert needs(whole) == ("embedder",)
        assert units(whole) == ("words", "cl100k_base", "characters")
        assert is_native(whole)
        assert not is_many_to_one(whole)
        assert not embeds_more(whole)
        assert embeds_more(routed(otherwise="table"))

    def test_the_one_form_builds_the_same(self) -> None:
        form = canonical(routed())
        assert form["otherwise"] == canonical(build("recursive", {"size": 4, "unit": "words"}))
        name = form.pop("strategy")
        assert build(str(name), form) == routed()

    def test_a_stride_or_a_number_of_sentences_stands_for_what_is_inherited(self) -> None:
        outer = {"size": 9, "overlap": 3, "unit": "words"}
        by_stride = build(
            "routed", {**outer, "routes": ROUTES, "otherwise": {"strategy": "fixed", "stride": 9}}
        )
        assert by_stride.otherwise == build("fixed", {"size": 9, "unit": "words"})  # type: ignore[attr-defined]
        by_count = build(
            "routed", {**outer, "routes": ROUTES, "otherwise": {"strategy": "sentence", "sentences": 2}}
        )
        assert by_count.otherwise == build("sentence", {"sentences": 2})  # type: ignore[attr-defined]

    @pytest.mark.parametrize(
        ("value", "said"),
        [
            (7, "otherwise: is 7, not a strategy"),
            ({"size": 7}, "otherwise.strategy: is missing. Write {strategy: sentence, size: 100}"),
            (
                {"strategy:fixed": None},
                "otherwise.strategy: is missing. Write {strategy: sentence, size: 100}, "
                "with a space after each colon",
            ),
            ({"strategy": 7}, "otherwise.strategy: is 7, not a name. Write {strategy: sentence, size: 100}"),
            (
                {"strategy": "fixed", "sise": 7},
                "otherwise.sise: is not a parameter of fixed. Did you mean size?",
            ),
        ],
    )
    def test_what_is_no_strategy_is_refused(self, value: object, said: str) -> None:
        with pytest.raises(BadInput) as error:
            routed(otherwise=value)
        assert [str(problem) for problem in error.value.problems] == [said]


def test_what_follows_from_a_wrong_part_is_not_told_again() -> None:
    with pytest.raises(BadInput) as error:
        build("hybrid", {"size": 9, "base": {"strategy": "fixed", "size": "big"}})
    assert [problem.where for problem in error.value.problems] == ["base.size"]


class TestWithin:
    def test_places_are_those_of_the_document(self) -> None:
        document = Document("a", "xx One two. Three four. yy")
        found = list(cuts_within(document, 3, 23, build("sentence", {"sentences": 1}), Tools()))
        assert [document.text[cut.start : cut.end] for cut in found] == ["One two.", "Three four."]
        window = build("sentence_window", {"window": 1})
        assert [cut.returned for cut in cuts_within(document, 3, 23, window, Tools())] == [(3, 23), (3, 23)]

    def test_a_blank_part_has_no_cuts(self) -> None:
        assert list(cuts_within(Document("a", "x  \n y"), 1, 5, build("fixed", {"size": 2}), Tools())) == []
