"""Our data folder and Hugging Face `datasets` share a name: neither may hide the other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
IS_LIBRARY = "import datasets; assert hasattr(datasets, 'load_dataset'), datasets.__path__"
LOAD = """
import sys
from pathlib import Path
from evaluation.gold import load
from strategies.errors import BadInput
try:
    print("loaded", load(Path(sys.argv[1])).name)
except BadInput as error:
    print("refused", error)
"""


def python(*arguments: str, cwd: Path, first: str = "") -> str:
    """Run Python with the packages of this checkout on the path, after the folder `first`."""
    path = os.pathsep.join(filter(None, [first, str(ROOT)]))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": ""}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_data_folder_holds_no_code() -> None:
    assert [path for path in (ROOT / "datasets").rglob("*") if path.suffix in {".py", ".pyi", ".pyc"}] == []


@pytest.mark.slow
def test_in_the_root_the_name_means_the_library(tmp_path: Path) -> None:
    assert python("-c", IS_LIBRARY, cwd=ROOT) == ""
    test = tmp_path / "test_it.py"
    test.write_text(f"def test_it():\n    {IS_LIBRARY}\n")
    arguments = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), str(test)]
    assert "1 passed" in python(*arguments, cwd=ROOT)


@pytest.mark.slow
def test_a_package_of_that_name_is_named_where_it_hides_the_library(make_set, tmp_path: Path) -> None:
    folder = make_set({"a.txt": "Words."}, '{"id": 1, "question": "?", "evidence": "words"}')
    work = tmp_path / "work"
    (work / "datasets").mkdir(parents=True)
    (work / "datasets" / "q.jsonl").write_text("{}")
    # Without an __init__.py the folder is harmless.
    assert python("-c", LOAD, str(folder), cwd=work) == "loaded small\n"
    (work / "datasets" / "__init__.py").write_text("")
    for out in (
        python("-c", LOAD, str(folder), cwd=work),
        python("-c", LOAD, str(folder), cwd=tmp_path, first=str(work)),
    ):
        assert out.startswith("refused ")
        assert str(work / "datasets" / "__init__.py") in out
        assert "hides the Hugging Face library" in out


@pytest.mark.slow
def test_a_started_script_is_not_disturbed_by_the_working_folder(make_set, tmp_path: Path) -> None:
    """As the console script: the folder of the script is on the path, the working folder is not."""
    folder = make_set({"a.txt": "Words."}, '{"id": 1, "question": "?", "evidence": "words"}')
    work = tmp_path / "work"
    (work / "datasets").mkdir(parents=True)
    (work / "datasets" / "__init__.py").write_text("")
    script = tmp_path / "bin" / "start.py"
    script.parent.mkdir()
    script.write_text(LOAD)
    assert python(str(script), str(folder), cwd=work) == "loaded small\n"


@pytest.mark.parametrize("module", ["evaluation.gold", "evaluation.gold.check"])
def test_heavy_libraries_wait_until_a_set_is_read(module: str) -> None:
    heavy = "{'datasets', 'pandas', 'torch', 'pyarrow', 'sklearn', 'scipy', 'mlflow', 'ragas'}"
    assert python("-c", f"import sys, {module}; print({heavy} & set(sys.modules))", cwd=ROOT) == "set()\n"
