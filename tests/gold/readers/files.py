"""Files of every kind, made here."""

from __future__ import annotations

import io
import zipfile
from datetime import datetime

import docx
from docx.document import Document as Docx
from fpdf import FPDF

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def pdf(*pages: str, password: str = "", sections: dict[int, str] | None = None, **first: str) -> bytes:
    """A PDF of these pages, lines as given; a page's section begins where its title stands."""
    made = FPDF()
    made.set_creation_date(datetime(2021, 5, 4))
    made.set_font("helvetica", size=12)
    made.set_title(first.get("title", ""))
    if password:
        made.set_encryption(owner_password="owner", user_password=password)
    for number, page in enumerate(pages):
        made.add_page(**{"label_style": first["label"]} if number == 0 and "label" in first else {})
        for line in page.splitlines():
            if (sections or {}).get(number) == line:
                made.start_section(line)
            made.cell(text=line)
            made.ln()
    return bytes(made.output())


def saved(document: Docx) -> bytes:
    """A DOCX as a file."""
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def body(xml: str) -> bytes:
    """A DOCX whose body is this XML, in the namespace `w`."""
    document = docx.Document()
    for child in list(document.element.body):
        document.element.body.remove(child)
    for element in docx.oxml.parse_xml(f"<w:body {W}>{xml}</w:body>"):
        document.element.body.append(element)
    return saved(document)


def p(words: str, properties: str = "") -> str:
    """A paragraph as XML."""
    return f'<w:p><w:pPr>{properties}</w:pPr><w:r><w:t xml:space="preserve">{words}</w:t></w:r></w:p>'


def rules() -> bytes:
    """A DOCX with a heading, a list and a table."""
    document = docx.Document()
    document.core_properties.title = "Rules"
    document.core_properties.author = "Ann"
    document.core_properties.created = datetime(2022, 3, 4)
    document.add_heading("House rules", 0)
    document.add_heading("Bins", 1)
    document.add_paragraph("Rubbish on Tuesday.")
    for words, style in (("glass", "List Bullet"), ("green", "List Bullet 2"), ("paper", "List Bullet")):
        document.add_paragraph(words, style=style)
    table = document.add_table(rows=2, cols=2)
    for place, words in enumerate(("Bin", "Day", "a|b", "Tue\nWed")):
        table.cell(place // 2, place % 2).text = words
    document.add_paragraph("End.")
    return saved(document)


def replaced(data: bytes, name: str, content: bytes) -> bytes:
    """A ZIP archive with one part of it replaced."""
    old, file = zipfile.ZipFile(io.BytesIO(data)), io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, content if part == name else old.read(part))
    return file.getvalue()


PAGE = b"""<!doctype html><title>Gate</title><nav>Home</nav><h1>The gate</h1>
<p>Opens at <b>seven</b>.</p><pre><code class="language-sh">open --now</code></pre>"""
TABLE = b'ticket,subject,body,team,year\r\nA1,Gate,"It is\r\nstuck",ops,2024\r\nB2,Bin,Full,007,\r\n'
LINES = b'{"id": 5, "q": "What?", "tags": ["a", "b"], "by": {"n": 1}}\n{"id": "x", "q": "Who?"}\n'
