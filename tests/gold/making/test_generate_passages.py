"""Which passages are asked about, and what is said of the words of a question."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.gold.making.sampling import MOST_TOKENS, Sampler, excerpts
from evaluation.gold.making.wording import Asked, agree, leaks, points, words
from strategies.document import Document
from strategies.units.counting import counter_of

from .question_server import village

WORDS = st.text(st.sampled_from("abc é.\n\r\t# -"), max_size=400)
VILLAGE = [Document(name, text, media_type="text/markdown") for name, text in village().items()]


@settings(deadline=None)
@given(st.lists(WORDS, max_size=4), st.integers(0, 3))
def test_passages_hold_each_document_once(texts: list[str], seed: int) -> None:
    documents = [Document(f"{at}.txt", text) for at, text in enumerate(texts)]
    found = excerpts(documents, seed)
    assert found == excerpts(list(reversed(documents)), seed)
    for document in documents:
        places = sorted(one.place for one in found if one.place.document == document.id)
        assert [one.text for one in sorted(found, key=lambda one: one.place) if one.place in places] == [
            document.text[place.start : place.end] for place in places
        ]
        ends = [0, *(place.end for place in places)]
        starts = [*(place.start for place in places), len(document.text)]
        between = [document.text[end:start] for end, start in zip(ends, starts, strict=True)]
        assert not "".join(between).strip(), "only white space is left out"
        assert all(document.text[place.start : place.end].strip() for place in places)


def test_passages_have_their_size_and_follow_the_seed() -> None:
    found = excerpts(VILLAGE, 7)
    counts = [counter_of("cl100k_base").count(one.text) for one in found]
    assert max(counts) <= MOST_TOKENS + 75
    assert sorted(counts)[len(counts) // 2] >= 250
    assert {one.place for one in found} != {one.place for one in excerpts(VILLAGE, 8)}
    assert len({one.place.document for one in found[:4]}) == 4, "one of each document first"


def test_a_passage_knows_its_section_and_ends_before_a_heading() -> None:
    paragraphs = "\n\n".join(f"## Part {at}\n\n{'The gate opens at six. ' * 30}" for at in range(12))
    found = excerpts(
        [Document("a.md", f"---\ntitle: x\n---\n# All\n\n{paragraphs}", media_type="text/markdown")], 1
    )
    assert len(found) > 3
    assert all("title: x" not in one.text for one in found), "front matter is no passage"
    assert not any(one.text.splitlines()[-1].startswith("#") for one in found)
    assert {one.section[0] for one in found} == {"All"}


def test_every_passage_comes_first_once_a_turn_and_pairs_are_of_their_kind() -> None:
    sampler = Sampler(VILLAGE, 7)
    for turn in range(5):
        samples = sampler.turn(turn)
        assert [one.excerpts[0] for one in samples] == sampler.excerpts
        for at, sample in enumerate(samples):
            documents = [one.place.document for one in sample.excerpts]
            assert len({one.place for one in sample.excerpts}) == len(documents)
            kind = (at + turn) % 5
            assert len(documents) == 1 or (documents[0] == documents[1]) == (kind == 3)
            assert kind >= 3 or len(documents) == 1
    paired = [len(sample.excerpts) for turn in range(5) for sample in sampler.turn(turn)]
    assert paired.count(2) >= len(sampler.excerpts)


def test_partners_share_rare_words() -> None:
    documents = [
        Document(f"{name}.txt", f"{text} {'Nothing more is said about any of that. ' * 45}")
        for name, text in [
            ("a", "The heronry of Skerrow."),
            ("b", "A mill."),
            ("c", "Skerrow has a heronry."),
        ]
    ]
    sampler = Sampler(documents, 7)
    pairs = {
        tuple(one.place.document for one in sample.excerpts)
        for turn in range(5)
        for sample in sampler.turn(turn)
        if len(sample.excerpts) == 2
    }
    assert pairs == {("a.txt", "c.txt"), ("c.txt", "a.txt")}


SENTENCES = st.lists(
    st.sampled_from(["gate", "gates", "opens", "six", "2024", "2023", "permit", "lamp", "court"]), max_size=9
)


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_what_was_asked_is_held_whatever_its_order_and_form(one: list[str], other: list[str]) -> None:
    asked = Asked()
    asked.add(" ".join(one))
    assert asked.holds(f"  {' '.join(reversed(one)).upper()}?")
    if {word for word in one if word.isdigit()} != {word for word in other if word.isdigit()}:
        assert not asked.holds(" ".join(other))


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_agreement_has_no_side(one: list[str], other: list[str]) -> None:
    first, second = " ".join(one), " ".join(other)
    assert agree(first, second) == agree(second, first)
    assert agree(first, first) == bool(one)


def test_near_duplicates_by_hand() -> None:
    asked = Asked()
    asked.add("When does the lower gate of the park open in winter?")  # 10 distinct words
    assert asked.holds("When does the lower gate of the park open in the winter?")
    assert asked.holds("When does the gate of the park open in winter?")  # 9 of 10
    assert not asked.holds("When does the gate of the park close?")  # 6 of 11


def test_leaks_by_hand() -> None:
    evidence = "Permits for the lower court cost 40 EUR a year, and lapse in March."
    assert leaks("What do permits for the lower court cost?", evidence)  # permits, lower, court, cost: 4 of 5
    assert not leaks("What must I pay to park in the lower court?", evidence)  # lower, court of 5
    assert not leaks("Court permits?", evidence), "two words say nothing"
    assert leaks("Why so: a year, and lapse in March?", evidence), "six in a row"


def test_pointing_by_hand() -> None:
    pointing = [
        "What does this document say about dogs?",
        "According to the document, what do dogs need?",
        "Which of the two passages names dogs?",
        "What is described above?",
        "What do the given excerpts have in common?",
        "Who signed, as stated in the text?",
    ]
    standing = [
        "Which documents does an applicant need?",
        "In which section of the bylaws are dogs mentioned?",
        "What does leakage mean in the context of turbines?",
        "How does the rest-api document authentication?",
        "Where is the passage to the courtyard?",
        "What text must stand on the label?",
    ]
    assert [question for question in pointing if not points(question)] == []
    assert [question for question in standing if points(question)] == [
        "Where is the passage to the courtyard?"
    ]


def test_words_of_other_scripts() -> None:
    assert words("Wie groß ist Maßstab 1:50, Ångström?") == [
        "wie",
        "gross",
        "ist",
        "massstab",
        "1",
        "50",
        "ångström",
    ]
