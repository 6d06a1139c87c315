"""File after file to documents: each is read, written with what is known about it, and let go."""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from errno import ENAMETOOLONG
from pathlib import Path

from evaluation.gold.card import Card
from evaluation.gold.documents import TextFile, decode, media_type, nearest_document
from evaluation.gold.metadata import Description
from evaluation.gold.readers import READERS, Reader, ReadText, read_file, reader_of
from evaluation.gold.readers.html import HTML
from evaluation.gold.readers.rows import ROWS
from evaluation.gold.sidecars import SOURCE, SUFFIX, is_sidecar, read_sidecars, source_of
from evaluation.gold.sources import NOT_METADATA, Choice, Html, choose
from evaluation.gold.walking import Found, read_bytes
from evaluation.gold.writing import described, yaml_text
from evaluation.yaml_reading import parse_yaml
from strategies.document import Document
from strategies.errors import BadInput, Problem, brief, listed

Progress = Callable[[int, int], None]
"""Files read, of how many."""


@dataclass(slots=True)
class Tally:
    """What came of the files of one reader."""

    files: int = 0
    """Those that were read."""
    documents: int = 0
    characters: int = 0
    skipped: int = 0
    """Those that could not be read."""


class FileReading:
    """Reads files, and writes the documents of each into a folder before it reads the next."""

    def __init__(self, documents_at: Path, card: Card, html: Html, most: int) -> None:
        """`most`: bytes of a file, and characters of the texts made of it."""
        self.documents_at, self.card, self.html, self.most = documents_at, card, html, most
        self.bad: dict[str, list[Problem]] = {}
        """Verdicts on files that could not be read, by their id for people; a sidecar is a file too."""
        self.documents = set[str]()
        self.on_card = {unicodedata.normalize("NFC", path): said for path, said in card.documents.items()}
        self.tallies: dict[Reader, Tally] = {}
        self.whole_tables: list[str] = []
        """Files of rows that nothing was chosen for."""

    def read_all(self, found: Sequence[Found], progress: Progress) -> None:
        """Every file, in the order of their paths."""
        files = sorted((one for one in found if not is_sidecar(one.id)), key=lambda one: one.id)
        sidecars = {one.id: one for one in found if is_sidecar(one.id)}
        choices = {one.id: self.choice(one.id) for one in files}
        targets = Counter(one.id + reader_of(one.id, choices[one.id]).suffix for one in files)
        for done, one in enumerate(files):
            progress(done, len(files))
            reader = reader_of(one.id, choices[one.id])
            tally = self.tallies.setdefault(reader, Tally())
            sidecar = sidecars.pop(one.id + SUFFIX, None)
            problems = [one.problem] if one.problem else []
            if reader.suffix and targets[one.id + reader.suffix] > 1:
                what = f"would become {brief(one.id + reader.suffix)}, which is there already"
                problems.append(Problem(one.where, what, "Rename one of the two"))
            problems = problems or self.read(one, sidecar, reader, choices[one.id], tally)
            if problems:
                self.bad[one.where] = problems
            tally.skipped += bool(problems)
        progress(len(files), len(files))
        known = [one.id for one in files]
        for name, one in sidecars.items():
            about = name.removesuffix(SUFFIX)
            what = f"there is no file {brief(about)} that it could be about"
            self.bad[one.where] = [one.problem or Problem(one.where, what, nearest_document(about, known))]

    def choice(self, path: str) -> Choice:
        """What the card chose for a file, or else the option for all HTML."""
        pattern = choose(path, self.card.sources)
        return Choice(self.html) if pattern is None else self.card.sources[pattern]

    def read(
        self, one: Found, sidecar: Found | None, reader: Reader, choice: Choice, tally: Tally
    ) -> list[Problem]:
        """Read a file and write its documents; or why that cannot be."""
        data = read_bytes(one.path, one.where, self.most)
        texts = data if isinstance(data, Problem) else read_file(reader, data, one.where, choice, self.most)
        if isinstance(data, Problem) or isinstance(texts, Problem):
            return [problem for problem in (data, texts) if isinstance(problem, Problem)][:1]
        own = len(texts) == 1 and not texts[0].suffix and _is_own(texts[0].text, data)
        beside, said = b"", Description()
        if sidecar:
            beside, said, wrong = _read_sidecar(sidecar, texts[0].text if own else None)
            if wrong:  # the document can do without it
                beside, said = b"", Description()
                self.bad[sidecar.where] = wrong
        try:
            if own:
                self.write(one.id, data, beside)
            else:
                self.write_made(one, hashlib.sha256(data).hexdigest(), texts, reader, said)
        except OSError as error:
            if error.errno != ENAMETOOLONG:
                raise
            self.remove(one.id + text.suffix for text in texts)
            return [Problem(one.where, "has a name that is too long for its document", "Shorten it")]
        tally.files += 1
        tally.documents += len(texts)
        tally.characters += sum(len(text.text) for text in texts)
        if reader is not ROWS and READERS.get(one.path.suffix.lower()) is ROWS:
            self.whole_tables.append(one.id)
        return []

    def write_made(
        self, one: Found, sha256: str, texts: Sequence[ReadText], reader: Reader, said: Description
    ) -> None:
        """The texts that were made of a file, each with a sidecar that says of what."""
        version = " ".join(reader.made_by())
        for text in texts:
            name = one.id + text.suffix
            # The card gives way to a sidecar, but not to what a reader found.
            on_card = self.on_card.get(name, Description()).metadata
            found = {key: value for key, value in text.metadata.items() if key not in on_card}
            # A row says more exactly what it is than who describes its whole file.
            told = [found, said.metadata] if text.row is None else [said.metadata, found]
            document = Document(name, text.text, {**told[0], **told[1]}, media_type(name), text.marks)
            source = source_of(one.id, sha256, text.text, reader.name, version)
            of_row = {} if text.row is None else {"row": text.row}
            beside = {**described(document)[0], SOURCE: {**source, **of_row}}
            self.write(name, text.text.encode("utf-8"), yaml_text(beside).encode("utf-8"))

    def write(self, name: str, data: bytes, sidecar: bytes) -> None:
        """One document, and its sidecar where it has one."""
        path = self.documents_at / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if sidecar:  # first, since its name is the longer one
            path.with_name(path.name + SUFFIX).write_bytes(sidecar)
        path.write_bytes(data)
        self.documents.add(name)

    def remove(self, names: Iterable[str]) -> None:
        """Take back what was written of a file."""
        for name in names:
            for path in (self.documents_at / name, self.documents_at / f"{name}{SUFFIX}"):
                with suppress(OSError):
                    path.unlink()
            self.documents.discard(name)

    def problems(self, where: str, paths: Sequence[str]) -> list[Problem]:
        """What the card says of files and documents that are none; `paths` are those of all files."""
        found = []
        fitting: dict[str, list[str]] = {pattern: [] for pattern in self.card.sources}
        for path in paths:
            if (pattern := choose(path, self.card.sources)) is not None:
                fitting[pattern].append(path)
        for pattern, files in fitting.items():
            name = f"sources.{brief(pattern)}"
            reader = ROWS if self.card.sources[pattern].rows else HTML
            strange = [path for path in files if READERS.get(_suffix(path)) is not reader]
            if not files:
                remedy = (
                    "Paths begin below the folder that is read, and the first pattern that fits a file holds"
                )
                found.append(Problem(where, f"{name} fits no file", remedy))
            elif strange:
                what = f"{name} says how to read {listed(reader.suffixes)}, and fits {brief(strange[0])}"
                found.append(Problem(where, what, "Let it fit such files alone"))
        for path in self.on_card:
            if path not in self.documents:
                what = f"documents.{brief(path)}: no such document comes of the folder"
                found.append(Problem(where, what, nearest_document(path, self.documents)))
        return found

    def notes(self) -> list[str]:
        """What a user may want to choose otherwise."""
        if not self.whole_tables:
            return []
        verb = "is one document" if len(self.whole_tables) == 1 else "are one document each"
        shown = listed([brief(name) for name in self.whole_tables], most=3)
        return [f"{shown} {verb}. For a document a row, name its fields under sources in the file of --card"]


def _suffix(path: str) -> str:
    return Path(path).suffix.lower()


def _is_own(text: str, data: bytes) -> bool:
    return data.endswith(text.encode("utf-8")) and len(data) - len(text.encode("utf-8")) in (0, 3)


def _read_sidecar(sidecar: Found, own: str | None) -> tuple[bytes, Description, list[Problem]]:
    """The bytes of a sidecar, what it says, and what is wrong with it; `own` is the text it is about.

    None: the text is made here, so that nobody could know where its pages begin.
    """
    nothing = Description()
    if sidecar.problem:
        return b"", nothing, [sidecar.problem]
    data = read_bytes(sidecar.path, sidecar.where)
    text = data if isinstance(data, Problem) else decode(data, sidecar.where)
    if isinstance(data, Problem) or isinstance(text, Problem):
        return b"", nothing, [problem for problem in (data, text) if isinstance(problem, Problem)][:1]
    about = sidecar.id.removesuffix(SUFFIX)
    if own is None:
        try:
            yaml = parse_yaml(text, sidecar.where)
        except BadInput as error:
            return b"", nothing, list(error.problems)
        keys = [key for key in NOT_METADATA if isinstance(yaml.content, dict) and key in yaml.content]
        what = "is not yours to say of a text that is made here"
        if wrong := [Problem(yaml.where((key,)), f"{key} {what}", "Remove it") for key in keys]:
            return b"", nothing, wrong
    said, problems = read_sidecars([TextFile(sidecar.id, data, text, False)], {about: own or ""}, (), "")
    return data, said[about], problems
