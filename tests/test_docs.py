"""What the pages say is so: commands run, links lead somewhere, tables are those of the code."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, get_args

import pytest
import typer
import yaml

from evaluation.embedders.hashing import HashingEmbedder
from evaluation.embedding import EmbedderSpec
from evaluation.gold import load
from evaluation.gold.formats import FORMATS as GOLD_FORMATS
from evaluation.gold.formats import page as formats_page
from evaluation.judging.measures import JUDGED
from evaluation.metrics import METRICS
from evaluation.metrics.page import markdown_table
from evaluation.misses import REMEDIES
from evaluation.settings import Settings
from evaluation.statistics import components
from evaluation.stores import STORES, VectorType
from evaluation.stores import page as stores_page
from experiments import workbench
from experiments.cli.app import COMMANDS, app, run
from experiments.cli.gold import COMMANDS as GOLD_COMMANDS
from experiments.columns import COLUMNS, QUESTION_COLUMNS, RETRIEVED_COLUMNS, reference
from experiments.exports import FORMATS
from experiments.grid import expand
from experiments.leaderboard import LEGEND
from experiments.patterns import LEAST, PATTERNS, SHARE
from experiments.sweep import load_sweep, read_sweep, sweeps
from experiments.sweep_schema import KEYS
from strategies import STRATEGIES, THIRD_PARTY
from strategies import reference as strategies_page
from strategies.language_model.chat_model import ChatModel
from strategies.modifiers import PLAIN
from strategies.parameters import as_record, parameters
from strategies.telemetry import OFF

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
PROSE = {page.name: page.read_text("utf-8") for page in PAGES}
README = PROSE["README.md"]

pages = pytest.mark.parametrize("name", PROSE)


class Block(NamedTuple):
    """A block of code on a page."""

    language: str
    """Of a fence, with what follows it; empty for an indented block."""
    text: str


def blocks(page: str) -> list[Block]:
    """Fenced and indented blocks, in order."""
    found, fence, lines = [], None, list[str]()
    for line in [*page.splitlines(), ""]:
        if fence is not None:
            if line.startswith("```"):
                found.append(Block(fence, "\n".join(lines)))
                fence, lines = None, []
            else:
                lines.append(line)
        elif line.startswith("    ") or (lines and not line):
            lines.append(line.removeprefix("    "))
        else:
            if lines:
                found.append(Block("", "\n".join(lines).strip("\n")))
            fence, lines = (line[3:].strip() if line.startswith("```") else None), []
    if lines:
        found.append(Block("", "\n".join(lines).strip("\n")))
    return found


def commands(page: str) -> Iterator[list[str]]:
    """The arguments of every `chunksweep` command line in the blocks of a page."""
    for block in blocks(page):
        for line in block.text.splitlines():
            words = shlex.split(line.removeprefix("$ "), comments=True) if "chunksweep " in line else []
            if words and words[0] in ("chunksweep", ".venv/bin/chunksweep"):
                yield words[1:]


def parse(arguments: list[str]) -> None:
    """Parse a command line without running it; raises what a user would be told."""
    command = typer.main.get_command(app)
    context = command.make_context("chunksweep", list(arguments))
    while hasattr(command, "commands"):
        name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        context = command.make_context(name, rest, parent=context)


SHOWN = [arguments for page in PROSE.values() for arguments in commands(page)]


# Commands


def test_the_pages_show_commands() -> None:
    assert len(SHOWN) >= 15
    assert {arguments[0] for arguments in SHOWN} == {*COMMANDS, "gold"}


@pytest.mark.parametrize("arguments", SHOWN, ids=" ".join)
def test_every_command_line_in_a_block_parses(arguments: list[str]) -> None:
    parse(arguments)


@pages
def test_every_command_in_a_sentence_parses(name: str) -> None:
    for line in re.findall(r"`chunksweep ([^`]+)`", PROSE[name]):
        arguments = [word for word in shlex.split(line) if word not in ("COMMAND", "--help")]
        try:
            parse(arguments)
        except typer.TyperException as error:
            # A sentence may leave out what does not matter to it.
            if arguments and type(error).__name__ != "MissingParameter":
                pytest.fail(f"{line}: {error}")


def test_a_slip_in_a_command_would_be_seen() -> None:
    for slip in ("run --datset handbook", "split a.md --strategy fixed --sice 3", "list colours", "exprot a"):
        with pytest.raises(Exception, match=r"[Nn]o such|not one of"):
            parse(slip.split())


def test_every_option_is_explained_by_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in SHOWN:
        words = arguments[:2] if arguments[0] == "gold" else arguments[:1]
        assert run([*words, "--help"]) == 0
        known = capsys.readouterr().out
        for option in (word for word in arguments if word.startswith("--")):
            assert re.search(rf"(?<!\S){option}\b", known), option


MLFLOW_OPTIONS = {"--serve-artifacts"}


@pages
def test_every_option_in_a_sentence_is_one(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    known = set[str]()
    ours = [["gold", command] for command in GOLD_COMMANDS]
    for words in [[], *([command] for command in COMMANDS), *ours]:
        assert run([*words, "--help"]) == 0
        known |= set(re.findall(r"(?<!\S)--[a-z-]+", capsys.readouterr().out))
    assert set(re.findall(r"`(--[a-z-]+)", PROSE[name])) - MLFLOW_OPTIONS <= known


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where the paths of the pages exist. Its small set `handbook` stands before the bundled one."""
    page = PROSE["gold-sets.md"]
    files = re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(files) == 4
    for home in ("house", "my-set", "my-documents", "handbook"):
        for path, content in files:
            file = tmp_path / home / path
            file.parent.mkdir(parents=True, exist_ok=True)
            own = content.replace("name: house", f"name: {home}")
            if home != "house":  # the bundled set, and those of users, may tell types of documents
                own = own.replace("kind: letter", "kind: letter, type: letter")
            file.write_text(own, encoding="utf-8", newline="")
    for path, content in re.findall(
        r"^```\w+ file=(\S+)\n(.*?)^```$", PROSE["formats.md"], re.MULTILINE | re.DOTALL
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content, encoding="utf-8", newline="")
    extra = tmp_path / "my-set" / "documents" / "policies" / "returns.md"
    extra.parent.mkdir()
    extra.write_text("# Returns\n\nItems can be returned within 30 days.\n", encoding="utf-8", newline="")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHUNKSWEEP_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    return tmp_path


@contextmanager
def as_expected(arguments: list[str], folder: Path) -> Iterator[None]:
    """The set that a command makes is not there yet, one that it fills is empty; then all is as before."""
    if arguments[:2] not in (["gold", "new"], ["gold", "bootstrap"]):
        yield
        return
    place, kept = folder / arguments[2], folder / ".kept"
    shutil.copytree(place, kept)
    if arguments[1] == "new":
        shutil.rmtree(place)
    else:
        (place / "questions.jsonl").write_bytes(b"")
    yield
    shutil.rmtree(place)
    kept.rename(place)


def needs_endpoint(arguments: list[str]) -> bool:
    """Whether a command asks a language model, and so is only parsed."""
    return arguments[:2] == ["gold", "generate"] and "--dry-run" not in arguments


CHEAP = [
    arguments
    for arguments in SHOWN
    if arguments[0] in ("init", "list", "split", "gold") and not needs_endpoint(arguments)
]


@pytest.mark.parametrize("arguments", CHEAP, ids=" ".join)
def test_cheap_commands_run(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with as_expected(arguments, folder):
        assert run(arguments) == 0, capsys.readouterr().err


@pytest.mark.parametrize("what", ["strategies", "stores", "metrics", "formats", "datasets", "sweeps"])
def test_everything_can_be_listed(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", what]) == 0
    assert len(capsys.readouterr().out.splitlines()) >= 3
    assert run(["list", what, "--json"]) == 0
    names = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert names
    if what == "sweeps":
        assert names == list(sweeps())


def test_the_page_shows_what_gold_check_prints(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = (b for b in blocks(PROSE["gold-sets.md"]) if b.text.startswith("$ chunksweep gold check"))
    assert run(["gold", "check", "./house"]) == 0
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert block.text.partition("\n")[2] == printed


# From a notebook


def python_blocks(page: str) -> list[str]:
    """Blocks that are Python: fenced as such, or indented and beginning with an import."""
    return [
        b.text
        for b in blocks(page)
        if b.language == "python" or (not b.language and b.text.startswith("import "))
    ]


@pages
def test_python_on_the_pages_compiles(name: str) -> None:
    for text in python_blocks(PROSE[name]):
        compile(text, name, "exec")


NOT_RUN = {"ui": "serves until it is stopped"}


@pytest.mark.slow
def test_commands_and_python_of_the_pages_run(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the model is real: what it costs to load is no matter of the pages."""
    monkeypatch.setattr(workbench, "open_embedder", lambda spec: HashingEmbedder())
    before = ["run first-look", "export first-look --output table.csv", "init sweep.yaml"]
    for line in before:
        assert run(line.split()) == 0, f"{line}: {capsys.readouterr().err}"
    sweep = folder / "sweep.yaml"
    head, first, _ = re.split(r"(?m)^(  - .*\n)", sweep.read_text("utf-8"), maxsplit=1)
    sweep.write_text(head + first, encoding="utf-8")  # one line of the grid is enough here
    ran = list(before)
    for arguments in SHOWN:
        line = " ".join(arguments)
        if arguments[0] not in NOT_RUN and not needs_endpoint(arguments) and line not in ran:
            with as_expected(arguments, folder):
                assert run(arguments) == 0, f"{line}: {capsys.readouterr().err}"
            ran.append(line)
    assert len(ran) >= 12
    capsys.readouterr()
    texts = [text for page in PROSE.values() for text in python_blocks(page)]
    assert len(texts) >= 4
    for text in texts:
        exec(compile(text, "page", "exec"), {})
    assert "so nothing can be told" in capsys.readouterr().out  # of documents of a few lines


# What is documented


FIELDS = list(EmbedderSpec.__dataclass_fields__)
DOCUMENTED = {
    "strategies.md": [*STRATEGIES, *THIRD_PARTY, *as_record(PLAIN)],
    "stores.md": [*STORES, *get_args(VectorType)],
    "metrics.md": [*METRICS, *REMEDIES],
    "diagnosis.md": [*PATTERNS],
    "judging.md": [*JUDGED, *(item.name for item in parameters(ChatModel)), "metrics", "k", "tokens", *OFF],
    "tables.md": [*METRICS, *(column.name for column in (*COLUMNS, *QUESTION_COLUMNS)), *FORMATS],
    "sweep-file.md": [
        *KEYS.keys() - {"retrieval"},
        "retrieval.k",
        "retrieval.token_budgets",
        *FIELDS,
        *sweeps(),
    ],
    "README.md": [*COMMANDS, *(f"gold {command}" for command in GOLD_COMMANDS), *STRATEGIES],
    "formats.md": [*GOLD_FORMATS, "gold import", "gold export"],
    "gold-sets.md": [f"gold {command}" for command in GOLD_COMMANDS],
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_everything_has_its_place_on_its_page(name: str) -> None:
    assert [word for word in DOCUMENTED[name] if f"`{word}`" not in PROSE[name]] == []


def test_the_signs_of_the_leaderboard_are_explained() -> None:
    assert [sign for sign in LEGEND if f"{sign} " not in PROSE["tables.md"].replace("`", "")] == []


def test_generated_tables_are_those_of_the_code() -> None:
    assert strategies_page.updated(PROSE["strategies.md"]) == PROSE["strategies.md"]
    assert stores_page.updated(PROSE["stores.md"]) == PROSE["stores.md"]
    assert formats_page.updated(PROSE["formats.md"]) == PROSE["formats.md"]
    assert markdown_table() in PROSE["metrics.md"]
    begin, end = "<!-- begin: experiments.columns.reference() -->\n", "<!-- end -->"
    assert PROSE["tables.md"].partition(begin)[2].partition(end)[0] == reference()
    for column in (*QUESTION_COLUMNS, *RETRIEVED_COLUMNS):
        assert f"| `{column.name}` | {column.meaning} |" in PROSE["tables.md"]


def test_sweeps_on_the_pages_are_sweeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (own,) = [
        text for text in python_blocks(PROSE["strategies.md"]) if text.startswith("# gate_splitters.py")
    ]
    Path("gate_splitters.py").write_text(own, encoding="utf-8")
    monkeypatch.setitem(sys.modules, "gate_splitters", None)  # so that it is gone again in the end
    del sys.modules["gate_splitters"]
    found = 0
    for page in PROSE.values():
        for block in blocks(page):
            content = yaml.safe_load(block.text) if block.language == "yaml" else None
            if isinstance(content, dict) and "grid" in content:
                assert expand(read_sweep({"name": "a", "dataset": "handbook", **content})).configs
                found += 1
    assert found >= 3


def test_the_thresholds_of_patterns_are_those_of_the_page() -> None:
    assert (LEAST, SHARE) == (5, 1 / 5)
    assert "at least 5 missed questions, and at least a fifth of all that were" in PROSE["diagnosis.md"]


def test_the_first_table_is_of_the_ready_sweep() -> None:
    table = README.partition("<!-- first table -->")[2].partition("The headline is")[0]
    names = [config.name for config in expand(load_sweep("first-look")).configs]
    assert sorted(re.findall(r"^    [★≈]?\s*([a-z]+-\d\S*)  ", table, re.MULTILINE)) == sorted(names)
    scores = [float(score) for score in re.findall(r"\s(0\.\d{3})\s+0\.\d{3}–", table)]
    assert len(scores) == len(names)
    assert scores == sorted(scores, reverse=True)
    assert Settings().headline == "context_recall_at_1024_tokens"


def test_numbers_of_what_is_bundled() -> None:
    card = yaml.safe_load((ROOT / "datasets" / "handbook" / "card.yaml").read_text("utf-8"))
    counts = card["counts"]
    documents, questions = counts["documents"], counts["questions"]
    sizes = Counter(components(load("handbook").questions)).values()
    assert f"{documents} documents of an invented company, {questions} questions" in README
    assert f"in {len(sizes)} groups that share no document" in README
    assert f"form {len(sizes)} groups, the largest of {max(sizes)} questions" in PROSE["statistics.md"]
    assert "synthetic, written by a language model" in README
    assert "synthetic" in card["how_made"]


def test_numbers_of_configurations() -> None:
    assert {name: len(expand(load_sweep(name)).configs) for name in sweeps()} == {
        "quick": 4,
        "first-look": 13,
        "size-and-overlap": 45,
        "retrievers": 18,
        "small-to-large": 8,
        "two-small-or-one-large": 8,
        "by-meaning": 10,
        "libraries": 13,
        "smoke": 16,
    }
    page = PROSE["sweep-file.md"]
    assert "`quick`, four configurations; `first-look`, thirteen over five strategies;" in page
    assert "`size-and-overlap`, forty-five" in page
    assert "a sweep of 13 configurations" in README
    assert "13 configurations of" in PROSE["scaling.md"]


CODE = re.compile(r"`((?:strategies|evaluation|experiments|tests)/[a-z_/]*(?:\.py)?)`")


@pytest.mark.parametrize(("name", "least"), [("design.md", 20), ("CONTRIBUTING.md", 8)])
def test_the_places_of_the_code_are_there(name: str, least: int) -> None:
    paths = CODE.findall(PROSE[name])
    assert len(paths) >= least
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_the_steps_of_the_flow_are_where_the_page_says() -> None:
    table = PROSE["design.md"].partition("| step | where | verb |\n")[2].partition("\n\n")[0]
    steps = re.findall(r"\| `(\S+)` \| (.+) \|", table)
    assert len(steps) >= 10
    for where, verbs in steps:
        source = (ROOT / where).read_text("utf-8")
        for verb in re.findall(r"`(\w+)`", verbs):
            assert re.search(rf"^ *def {verb}\(", source, re.MULTILINE), (where, verb)


@pages
def test_every_target_of_make_is_there(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"(?:^    |`)make ([a-z]+)", PROSE[name], re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_changelog_begins_with_this_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    sections = re.findall(r"^## (\S+)", PROSE["CHANGELOG.md"], re.MULTILINE)
    assert next(name for name in sections if name != "Unreleased") == project["version"]


# Links


def anchors(page: str) -> set[str]:
    """What GitHub calls the headings of a page."""
    headings = re.findall(
        r"^#{1,6} +(.+?) *$", re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pages
def test_links_lead_somewhere(name: str) -> None:
    (page,) = (path for path in PAGES if path.name == name)
    text = re.sub(r"^```.*?^```$", "", PROSE[name], flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.is_file(), target
        if anchor:
            assert anchor in anchors(linked.read_text("utf-8")), target


def test_the_readme_links_every_page() -> None:
    linked = set(re.findall(r"\]\(([^)#\s]+)", README))
    assert {str(page.relative_to(ROOT)) for page in PAGES[1:]} <= linked


def test_a_listing_may_be_of_some(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "strategies", "routed", "langchain:TokenTextSplitter", "--json"]) == 0
    ours, theirs = json.loads(capsys.readouterr().out)
    assert (ours["name"], ours["native"], ours["drops"]) == ("routed", True, None)
    assert ours["use"].startswith("Use it for mixed collections")
    assert (theirs["native"], theirs["extra"]) == (False, "langchain")
    assert theirs["drops"]
    assert run(["list", "strategies", "fixd"]) == 2
    assert "fixd: is none of the strategies. Did you mean fixed?" in capsys.readouterr().err
