"""Which passages are asked about, and what is said of the words of a question."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.gold import GoldSet
from evaluation.gold.making.candidates import evidence_at
from evaluation.gold.making.estimating import Counting
from evaluation.gold.making.sampling import MOST_TOKENS, Sampler, excerpts
from evaluation.gold.making.span_exact import span_exact
from evaluation.gold.making.wording import Asked, agree, leaks, points, words
from evaluation.gold.nouns import Passage
from evaluation.gold.quotes import Corpus
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


def test_sentences_are_cut_by_the_language_of_the_card() -> None:
    german = " ".join(f"Haus {at} wurde am 3. Oktober verkauft und danach umgebaut." for at in range(200))
    held = (Document("a.txt", german),)
    assert any(one.text.startswith("Oktober") for one in excerpts(held, 7))
    gold = GoldSet("set", held, (), "", {"language": "de-AT"})
    made = span_exact(gold, Counting(lambda prompt: None).ask, wanted=1, seed=7)
    assert len(made.passages) > 3
    assert not any(one.text.startswith("Oktober") for one in made.passages)


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


def test_copies_of_a_models_evidence_are_whole_words() -> None:
    texts = (
        "An age of 18 years is needed.",
        "A percentage of 18 years' rent is due.",
        "The age of 18 years.",
    )
    corpus = Corpus({f"{at}.txt": Document(f"{at}.txt", text) for at, text in enumerate(texts)})
    entry = evidence_at(Passage("0.txt", 3, 18), corpus)
    assert entry is not None
    assert entry.passages == (Passage("0.txt", 3, 18), Passage("2.txt", 4, 19))


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


WORDS_ASKED = ["gate", "gates", "opens", "six", "2024", "2023", "permit", "not", "the", "犬は"]
SENTENCES = st.lists(st.sampled_from(WORDS_ASKED), max_size=9)


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_what_was_asked_is_held_whatever_its_order_and_form(one: list[str], other: list[str]) -> None:
    asked = Asked()
    asked.add(" ".join(one))
    assert asked.holds(f"  {' '.join(reversed(one)).upper()}?")
    assert asked.holds(" ".join(other)) == ({*one} - {"the"} == {*other} - {"the"}) or {*one, *other} <= {
        "the"
    }


@settings(deadline=None)
@given(SENTENCES, SENTENCES)
def test_agreement_has_no_side(one: list[str], other: list[str]) -> None:
    first, second = " ".join(one), " ".join(other)
    assert agree(first, second) == agree(second, first)
    assert agree(first, first) == bool(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It rose from 5 to 7", "It rose from 7 to 5"),
        ("A pays B", "B pays A"),
        ("At six", "At six or seven"),
        ("It is closed", "It is closed except on Sundays"),
        ("Yes", "Yes, unless it rains"),
        ("It is allowed", "It is not allowed"),
        ("The owner", "Only the owner"),
        ("30 days", "30 days, or 14 in a sale"),
        ("Members", "Members and guests"),
        ("5 EUR", "5 %"),
        ("5", "-5"),
        ("1,200", "1.200"),
        ("東門", "東門以外"),
        ("", ""),
    ],
)
def test_answers_that_may_differ_are_for_a_judge(one: str, other: str) -> None:
    assert not agree(one, other)
    assert not agree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("At six.", "AT  six"),
        ("40 EUR", "It is 40 EUR."),
        ("the porter", '"Porter"'),
        ("It\u2019s -5 %", "it's -5 %"),
    ],
)
def test_answers_that_agree_beyond_doubt(one: str, other: str) -> None:
    assert agree(one, other)
    assert agree(other, one)


def test_questions_that_ask_the_same_by_hand() -> None:
    asked = Asked()
    asked.add("When does the lower gate of the park open in winter?")
    assert asked.holds("In the winter, when does the park's lower gate open?")
    for other in ("upper gate of the park open", "gate of the park open", "lower gate of the park not open"):
        assert not asked.holds(f"When does the {other} in winter?"), other
    asked.add("How does the pump on the roof of the north building start?")
    assert not asked.holds("How does the pump on the roof of the south building start?")
    asked.add("Can a tenant keep a dog in the flat?")
    assert not asked.holds("Can't a tenant keep a dog in the flat?")
    asked.add("東門は何時に閉まりますか")
    assert asked.holds("東門は何時に閉まりますか?")
    assert not asked.holds("西門は何時に閉まりますか")


def test_leaks_by_hand() -> None:
    evidence = "Permits for the lower court cost 40 EUR a year, and lapse in March."
    assert leaks("What do permits for the lower court cost?", evidence)  # permits, lower, court, cost: 4 of 5
    assert not leaks("What must I pay to park in the lower court?", evidence)  # lower, court of 5
    assert not leaks("Court permits?", evidence), "two words say nothing"
    assert leaks("Why so: a year, and lapse in March?", evidence), "six in a row"


def test_leaks_in_scripts_without_spaces() -> None:
    chinese = "东门晚上十点关闭并上锁，住户可以用钥匙进入院子。"
    assert leaks("东门晚上十点关闭并上锁吗", chinese)
    assert not leaks("夜里几点以后只有带钥匙的人能进来", chinese)
    japanese = "犬は庭で鎖につながなければならない。猫は自由である。"
    assert leaks("犬は庭で鎖につながなければならないか", japanese)
    assert not leaks("ペットを外に出すときに何をしなければならないか", japanese)
    assert leaks("ประตูทิศตะวันออกปิดเวลา", "ประตูทิศตะวันออกปิดเวลาสี่ทุ่มทุกวัน")


def test_pointing_by_hand() -> None:
    pointing = [
        "What does this document say about dogs?",
        "According to the document, what do dogs need?",
        "Which of the two passages names dogs?",
        "What is described above?",
        "What do the given excerpts have in common?",
        "Who signed, as stated in the text?",
        "What does the text say about parking?",
        "What does the document state about fees?",
        "What is the main topic of the text?",
        "What does the author recommend?",
        "Based on the provided information, who may park?",
        "According to the information given, who may park?",
        "What is discussed in the text about bicycles?",
        "What is said in the document regarding fees?",
        "Which fees does this agreement set?",
    ]
    standing = [
        "Which documents does an applicant need?",
        "In which section of the bylaws are dogs mentioned?",
        "What does leakage mean in the context of turbines?",
        "How does the rest-api document authentication?",
        "Where is the passage to the courtyard?",
        "What text must stand on the label?",
        "Who is the author of the handbook?",
        "What does the author of the handbook earn?",
        "Which characters may stand in the text field?",
        "Which stamp does the document need at the border?",
        "Where is the information desk?",
        "What do tenants do with the information provided by the porter?",
        "Which article of the statute names dogs?",
        "Which page of the site lists fees?",
    ]
    assert [question for question in pointing if not points(question)] == []
    assert [question for question in standing if points(question)] == [
        "Where is the passage to the courtyard?"
    ]


def test_words_of_other_scripts() -> None:
    german = ["wie", "gross", "ist", "massstab", "1", "50", "ångström"]
    assert words("Wie groß ist Maß\u00adstab 1:50, Ångström?") == german
    assert words("犬は鎖に") == ["犬は", "は鎖", "鎖に"]
    assert words("대문이 열린다") == ["대문이", "열린다"]
