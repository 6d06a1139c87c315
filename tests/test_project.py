"""The project as a whole: what is in the tree, in the wheel, in its tables, and what the command imports."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hatchling.builders.wheel import WheelBuilder

from evaluation import stores
from evaluation.metrics import METRICS
from evaluation.metrics.metric import Metric
from evaluation.vectors import VECTORS
from experiments.cli.app import COMMANDS
from experiments.cli.gold import COMMANDS as GOLD_COMMANDS
from experiments.exports import FORMATS
from strategies import STRATEGIES
from strategies.libraries import THIRD_PARTY

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("strategies", "evaluation", "experiments")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def names(folder: str) -> set[str]:
    """The modules of a folder, its `__init__` aside."""
    return {path.stem for path in (ROOT / folder).glob("*.py")} - {"__init__"}


def code(folder: str) -> list[Path]:
    """Every Python file under a folder."""
    return sorted((ROOT / folder).rglob("*.py"))


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports anywhere, relative ones aside."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def modules() -> list[ModuleType]:
    """Every module of the three packages."""
    paths = [path.relative_to(ROOT) for package in PACKAGES for path in code(package)]
    dotted = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in paths]
    return [importlib.import_module(name) for name in dotted]


# The tree


@pytest.fixture(scope="module")
def tracked() -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: nothing says which files belong to the project")
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]


# Spelled in pieces, so that this file does not hold what it looks for.
INSTALL = ("/sim" + "ple", "py" + "pi", "regis" + "try", "arti" + "factory", "nex" + "us")
FOREIGN = {
    "a path of some machine": r"(?<!\w)/wor" + r"k/|/tmp/env" + r"test|/home/\w+/|/Users/\w+/",
    "who wrote it, and how": r"(?i)\b(?:helper|agent|coding)[ -]" + r"sessions?\b|\bsub-?" + r"agents?\b",
    "a number of a list that is not here": r"\bC0" + r"\d\d\b",
    "a place to install from": rf"(?:extra-)?index-{'url'}|https?://[^\s\"'`]*(?:{'|'.join(INSTALL)})",
}


@pytest.mark.parametrize("what", FOREIGN)
def test_nothing_in_the_tree_is_about_something_else(what: str, tracked: list[str]) -> None:
    found = []
    for name in tracked:
        if not name.startswith("datasets/"):  # texts of an invented company
            for number, line in enumerate((ROOT / name).read_text("utf-8").splitlines(), start=1):
                if re.search(FOREIGN[what], line):
                    found.append(f"{name}:{number}: {line.strip()}")
    assert found == []


def test_the_words_that_are_looked_for_would_be_found() -> None:
    slips = ("cd /wor" + "k/main", "by a helper ses" + "sion", "see C0" + "12", "--index-" + "url x")
    for pattern, slip in zip(FOREIGN.values(), slips, strict=True):
        assert re.search(pattern, slip)


def test_the_data_folder_holds_data_alone(tracked: list[str]) -> None:
    suffixes = {Path(name).suffix for name in tracked if name.startswith("datasets/")}
    assert suffixes >= {".md", ".jsonl", ".yaml"}
    assert not suffixes & {".py", ".pyi", ".pyc", ".ipynb", ".so"}


def test_nothing_imports_the_data_folder_as_code() -> None:
    """The name means the library, and is imported at its one door."""
    users = [
        path.relative_to(ROOT).as_posix()
        for folder in (*PACKAGES, "tests")
        for path in code(folder)
        if any(name.partition(".")[0] == "datasets" for name in imports(path))
    ]
    assert users == ["evaluation/gold/questions.py"]


def test_no_file_is_a_drawer() -> None:
    stems = {path.stem for folder in (*PACKAGES, "tests") for path in code(folder)}
    assert not stems & {"utils", "util", "helpers", "misc", "common"}


# The wheel


def test_the_wheel_is_asked_for_three_packages_and_the_data() -> None:
    wheel = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["packages"] == list(PACKAGES)
    assert wheel["shared-data"] == {"datasets": "share/chunksweep/datasets"}
    assert wheel.keys() == {"packages", "shared-data"}


@pytest.mark.slow
def test_the_wheel_holds_three_packages_and_the_data(tmp_path: Path) -> None:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path))
    held = zipfile.ZipFile(built).namelist()
    tops = {name.partition("/")[0] for name in held}
    version = PROJECT["project"]["version"]
    assert tops == {*PACKAGES, f"chunksweep-{version}.data", f"chunksweep-{version}.dist-info"}
    data = f"chunksweep-{version}.data/data/share/chunksweep/datasets/"
    tracked = subprocess.run(
        ["git", "ls-files", "datasets"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    shipped = {name.removeprefix(data) for name in held if name.startswith(data)}
    files = {path.removeprefix("datasets/") for path in tracked.stdout.splitlines()}
    assert {path for path in files if not path.endswith(".gitattributes")} <= shipped
    assert "handbook/documents/logs/intake-north-2024-09-17.log" in shipped
    assert {"experiments/sweeps/first-look.yaml", "strategies/py.typed"} <= set(held)


BEHIND_EXTRAS = ("stores", "judging")
"""Folders of `evaluation` in which each library is imported when it is used."""

CALLED = {
    "faiss": "faiss-cpu",
    "bs4": "beautifulsoup4",
    "docx": "python-docx",
    "haystack": "haystack-ai",
    "llama_index": "llama-index-core",
    "markdown_it": "markdown-it-py",
    "yaml": "pyyaml",
}
"""Import name -> name to install, where more than the underscore differs."""

BROUGHT_ALONG = {
    "huggingface_hub": "sentence-transformers",
    "langchain_core": "langchain-text-splitters",
    "requests": "tiktoken",
    "sqlalchemy": "mlflow",
    "transformers": "sentence-transformers",
}
"""Libraries of a library that is required, used where that one is."""


def required(*extras: str) -> set[str]:
    """What is installed for certain: the dependencies, and those of extras."""
    project = PROJECT["project"]
    lists = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    return {re.split(r"[<>=!~\[ ;]", text)[0] for texts in lists for text in texts}


def test_every_library_that_is_imported_is_required() -> None:
    told = PROJECT["project"]["optional-dependencies"]
    extras = sorted({cls.extra for cls in THIRD_PARTY.values()})
    others = sorted(told.keys() - {"all", "dev", *extras})
    assert told["all"] == [f"chunksweep[{','.join(extras)}]", f"chunksweep[{','.join(others)}]"]
    assert "chunksweep[all]" in told["dev"]
    behind_extras = {path for path in code("strategies") if path.parent.name == "libraries"}
    behind_extras |= {path for path in code("evaluation") if path.parent.name in BEHIND_EXTRAS}
    paths = {path for package in PACKAGES for path in code(package)}
    extras += others
    for among, needed in ((paths - behind_extras, required()), (behind_extras, required(*extras))):
        imported = {name.partition(".")[0] for path in among for name in imports(path)}
        foreign = imported - {*PACKAGES, *sys.stdlib_module_names}
        assert len(foreign) > 4
        named = {BROUGHT_ALONG.get(n, CALLED.get(n, n.replace("_", "-"))) for n in foreign}
        assert named <= needed


@pytest.mark.parametrize("name", THIRD_PARTY)
def test_every_library_has_its_extra(name: str) -> None:
    cls = THIRD_PARTY[name]
    assert cls.distributions[0] in required(cls.extra)
    assert cls.package.replace("_", "-") in cls.distributions[0]


# Start-up

HEAVY = (
    *("torch", "mlflow", "ragas", "pandas", "datasets"),
    *("sentence_transformers", "sklearn", "scipy", "transformers"),
)
"""What takes seconds to import."""

LOOK = """
import sys
from experiments.cli import main
sys.argv = ["chunksweep", *{arguments!r}]
try:
    main()
finally:
    print("imported:", *sorted(set({heavy!r}) & set(sys.modules)))
"""


LIGHT = [["--help"], ["run", "--help"], ["list", "sweeps"], ["--version"]]


@pytest.mark.parametrize("arguments", LIGHT, ids=" ".join)
def test_light_commands_import_nothing_heavy(arguments: list[str]) -> None:
    code = LOOK.format(arguments=arguments, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "imported:"
    assert len(done.stdout.splitlines()) > 1


# Tables

NOT_STRATEGIES = {
    *("document", "errors", "strategy", "outline", "spans", "reference"),  # nouns, and the page about them
    *("parameters", "named", "sizes", "tools", "cache_file", "telemetry"),  # what is told, asked, kept
    *("splitting", "pieces", "packing", "segmenting", "nesting", "within"),  # steps that are shared
}


def test_every_strategy_has_its_file_and_every_file_its_strategy() -> None:
    assert names("strategies") - NOT_STRATEGIES == set(STRATEGIES)
    assert names("strategies") >= NOT_STRATEGIES
    for name, cls in STRATEGIES.items():
        assert (cls.name, cls.__module__) == (name, f"strategies.{name}")


def test_every_metric_of_a_file_stands_in_the_table() -> None:
    found = {}
    for name in names("evaluation/metrics") - {"metric", "page"}:
        module = importlib.import_module(f"evaluation.metrics.{name}")
        held = {value.name: value for value in vars(module).values() if isinstance(value, Metric)}
        assert held, name
        found |= held
    assert found == METRICS
    assert all(name == metric.name for name, metric in METRICS.items())


def test_every_format_has_its_file() -> None:
    assert names("experiments/exports") == set(FORMATS)
    for name, format in FORMATS.items():
        assert format.render.__module__ == f"experiments.exports.{name}"
    suffixes = [format.suffix for format in FORMATS.values()]
    assert len(set(suffixes)) == len(suffixes)


def test_every_store_has_its_file_and_opens() -> None:
    parts = {"store", "page", "quantising", "nearest", "payloads", "ties", "row_ids", "postgres"}
    assert names("evaluation/stores") - parts == set(stores.STORES)
    for name, store in stores.STORES.items():
        assert (store.name, store.__module__) == (name, f"evaluation.stores.{name}")


def test_every_way_to_make_vectors_has_its_file() -> None:
    assert names("evaluation/vectors") == set(VECTORS)
    for name, maker in VECTORS.items():
        assert maker.__module__ == f"evaluation.vectors.{name}"


def test_every_command_has_its_file() -> None:
    tables = ((COMMANDS, "experiments/cli"), (GOLD_COMMANDS, "experiments/cli/gold"))
    for table, folder in tables:
        place = folder.replace("/", ".") + "."
        homes = {function.__module__.removeprefix(place) for function in table.values()}
        assert homes == names(folder) - {"app", "asking", "options", "gold"}
        assert all(inspect.getdoc(function) for function in table.values())


def by_kind(name: str) -> tuple[bool, bool, str]:
    """Constants, then classes, then functions, each by alphabet."""
    return not name.isupper(), name.islower(), name


def test_what_a_module_offers_is_there_sorted_and_whole() -> None:
    told = [module for module in modules() if hasattr(module, "__all__")]
    assert len(told) >= 5
    for module in told:
        offered = list(module.__all__)
        assert len(set(offered)) == len(offered), module.__name__
        assert offered == sorted(offered, key=by_kind), module.__name__
        own = {
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        }
        assert set(offered) <= set(vars(module)), module.__name__
        assert own <= set(offered), (module.__name__, own - set(offered))
