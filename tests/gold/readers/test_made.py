"""What readers make of files, worked out by hand."""

from __future__ import annotations

import re

import docx
import pytest

from evaluation.gold.readers import read_file, reader_of
from evaluation.gold.readers.markdown_text import literal
from evaluation.gold.sources import Choice, Rows
from strategies.document import Document, Mark
from strategies.errors import Problem
from strategies.outline import outline

from ...strategies.linear import grows_linearly  # noqa: TID252 (under any import mode)
from . import files

MOST = 1_000_000


def made(name: str, data: bytes | str, choice: Choice = Choice(), most: int = MOST):
    data = data if isinstance(data, bytes) else data.encode("utf-8")
    return read_file(reader_of(name, choice), data, name, choice, most)


def text(name: str, data: bytes | str, choice: Choice = Choice()) -> str:
    (one,) = made(name, data, choice)
    return one.text


def verdict(name: str, data: bytes | str, choice: Choice = Choice(), most: int = MOST) -> str:
    problem = made(name, data, choice, most)
    assert isinstance(problem, Problem), problem
    assert problem.where == name
    assert problem.remedy
    return problem.what


# HTML


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h2>A <i>b</i></h2><p>c", "## A b\n\nc"),
        (
            "<p>Open the <a href='x'>gate</a>, <b>now</b>: snake_case * 2",
            "Open the gate, now: snake_case * 2",
        ),
        ("<ul><li>one<ul><li>deep</li></ul></li><li><p>two</p></li></ul>", "- one\n  - deep\n- two"),
        ("<ol start=3><li>three<li>four</ol>", "3. three\n4. four"),
        (
            "<table><tr><th>Part<th>Price<tr><td>a|b<td>1<br>2</table>",
            "| Part | Price |\n| --- | --- |\n| a\\|b | 1 2 |",
        ),
        (
            "<table><tr><th colspan=2>Both<tr><td>1<td>2</table>",
            "| Both |  |\n| --- | --- |\n| 1 | 2 |",
        ),
        ("<pre>a\n  b</pre>", "```\na\n  b\n```"),
        ("<pre><code class='language-c++'>```</code></pre>", "````c++\n```\n````"),
        ("<p># no heading</p><p>C# is\n# none either</p>", "\\# no heading\n\nC# is # none either"),
        ("<p>one<br>- two<br>three</p>", "one\n\\- two\nthree"),
        ("<p>&lt;!-- is how\n comments begin", "\\<!-- is how comments begin"),
        ("<nav>Home</nav><script>x()</script><style>p{}</style><!-- no --><p>Words<img alt=x>", "Words"),
        ("<p>a&#xFEFF;b\0c".replace("\0", "&#0;"), "a\ufeffb\ufffdc"),
        ("<p>&nbsp;</p><p>2<sup>7</sup> is raised", "27 is raised"),
        ("<blockquote><p>said</p></blockquote>", "> said"),
        (
            "<header>Gate manual</header><main><details><summary>When?</summary>At seven.</details></main>"
            "<footer>City</footer>",
            "Gate manual\n\nWhen?\n\nAt seven.\n\nCity",
        ),
        ("<p>Press<button>OK</button><button>No</button>", "Press OK  No"),
        ("<menu><li>one<li>two</menu>", "- one\n- two"),
    ],
)
def test_html_becomes_markdown(html: str, expected: str) -> None:
    assert text("a.html", html) == expected + "\n"


TABLE = "| A | B |\n| --- | --- |\n| C | D |"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><td>A<td>B<tr><td>C<td>D", TABLE),
        ("<caption>Prices</caption><tr><th>A<th>B<tr><td>C<td>D", f"Prices\n\n{TABLE}"),
        ("<colgroup><col></colgroup><tr><td>A<td>B<tr><td>C<td>D", TABLE),
        ("<tbody><tr><th>A<th>B</tbody><tbody><tr><td>C<td>D</tbody>", TABLE),
        ("<tfoot><tr><td>C<td>D</tfoot><tbody><tr><td>A<td>B</tbody>", TABLE),
        ("<tbody><tr><td>C<td>D</tbody><thead><tr><th>A<th>B</thead>", TABLE),
        ("<tr><th>A<th>B<tr><td>C<td><table><tr><td>D</td></tr></table>", TABLE),
        ("<tr><th>A<th>B<tr><td>C<td><table><tr><td>D<td>E</table>", TABLE.replace("D", "D E")),
        ("<tr><form><th>A<th>B</form></tr><tr><td> <td></tr><tr><td>C<td>D", TABLE),
        ("<tr><td><p># in a box", "\\# in a box"),
        ("<tr><td colspan='\u00b2'>A<td>B<tr><td>C<td>D", TABLE),
        (f"<tr><td colspan={'9' * 5000}>A<td>B<tr><td>C<td>D", TABLE),
        # What spans rows moves the cells beside it to their own column.
        (
            "<tr><th>A<th>B<th>C<tr><td rowspan=2>1<td colspan=2 rowspan=2>2<tr><tr><td>3<td>4<td rowspan=9>5"
            "<tr><td>6<td>7",
            "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 |  |\n| 3 | 4 | 5 |\n| 6 | 7 |",
        ),
        ("<tr><th rowspan=2>A<th>B<tr><td>D", "| A | B |\n| --- | --- |\n|  | D |"),
        ("loose<tr><td>A<td>B<tr><td>C<td>D", f"loose\n\n{TABLE}"),
        ("<tr><td>A<td>B<tr><td>C<td>D</table>after", f"{TABLE}\n\nafter"),
    ],
)
def test_a_table_of_html_is_one_table(html: str, expected: str) -> None:
    assert text("a.html", f"<table>{html}") == expected + "\n"


def test_cells_outside_of_tables_keep_their_words() -> None:
    assert text("a.html", "<body><td>one</td><td>two</td>").split() == ["one", "two"]


BLOCKS = (
    "address article aside blockquote caption center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li listing main menu ol optgroup option p "
    "pre search section summary table td textarea tr ul xmp button select"
)


@pytest.mark.parametrize("name", BLOCKS.split())
def test_no_words_of_two_blocks_become_one(name: str) -> None:
    words = text("a.html", f"<body><{name}>Alpha</{name}><{name}>Beta</{name}>Gamma<div>Delta</div></body>")
    assert re.findall(r"\w+", words) == ["Alpha", "Beta", "Gamma", "Delta"]


def test_what_html_says_about_itself_is_metadata() -> None:
    page = "<html><head><title>The\n gate</title><meta name=Author content=' Zoë '></head><p>x"
    (one,) = made("a.html", page)
    assert one.metadata == {"title": "The gate", "author": "Zoë"}
    assert one.text == "x\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("<meta charset=windows-1252><p>5 €".encode("cp1252"), "5 €"),
        # Browsers read Latin-1 as the Windows charset, and so do we.
        ("<meta charset=iso-8859-1><p>5 €".encode("cp1252"), "5 €"),
        ("<meta http-equiv=content-type content='text/html; charset=Shift_JIS'><p>門".encode("cp932"), "門"),
        ("<p>門".encode("utf-16"), "門"),
        ("<meta charset=iso-8859-1><p>ü".encode(), "ü"),
        ("<meta charset=iso-8859-9><p>“ş”".encode("cp1254"), "“ş”"),
        ("<meta charset=euc-kr><p>뷁".encode("cp949"), "뷁"),
        ("<meta charset=tis-620><p>5 € ก".encode("cp874"), "5 € ก"),
        # Charsets of seven bits, whose bytes would pass as UTF-8.
        ("<meta charset=iso-2022-jp><p>門 ｶﾞ".encode("iso2022_jp_ext"), "門 ｶﾞ"),
        ("<meta charset=ISO-2022-KR><p>한국".encode("iso2022_kr"), "한국"),
        (
            "<meta http-equiv=content-type content='text/html; charset=hz-gb-2312'><p>门".encode("hz"),
            "门",
        ),
        (b"<meta charset=utf-7><p>F+APw-nf", "Fünf"),
        (b"<meta charset=iso-2022-jp><p>~{ a + b", "~{ a + b"),
        # They say nothing about bytes that are UTF-8 beyond ASCII, or marked as such.
        ("<meta charset=hz><p>~ü".encode(), "~ü"),
        (b"\xef\xbb\xbf<meta charset=utf-7><p>F+APw-nf", "F+APw-nf"),
        (b"<meta charset=gb2312><p>~{ a", "~{ a"),
    ],
)
def test_html_is_read_in_the_charset_it_declares(data: bytes, expected: str) -> None:
    assert text("a.html", data) == expected + "\n"


def test_a_charset_is_never_guessed() -> None:
    assert "is not UTF-8" in verdict("a.html", "<p>Fünf".encode("cp1252"))
    assert "utf-9, which is not known" in verdict("a.html", "<meta charset=utf-9><p>ü".encode("cp1252"))
    for wide in ("utf-16", "utf-16le", "utf-32be", "cp037"):
        # Who could read the declaration has read something else.
        page = f"<meta charset='{wide}'><p>Café is open</p>".encode("cp1252")
        for padded in (page + b" " * n for n in range(4)):
            assert f"{wide}, and is not in it" in verdict("a.html", padded)
    assert "utf-8, and is not in it" in verdict("a.html", "<meta charset=utf-8><p>ü".encode("cp1252"))
    for page in (b"<meta charset=iso-2022-jp><p>\x1b$Bzz", b"<meta charset=hz-gb-2312><p>~{Fr~home"):
        assert ", and is not in it" in verdict("a.html", page)
        assert ", and is not in it" in verdict("a.html", page, Choice("source"))
    for declared in ("", "<meta charset=utf-8>", "<meta charset=shift_jis>"):
        page = f"{declared}<p>門".encode("iso2022_jp")
        assert "is in a charset of ISO-2022, and does not declare which" in verdict("a.html", page)
    assert text("a.html", b"<pre>\x1b[31mred $ B") == "```\n\x1b[31mred $ B\n```\n"
    unknown = b"<meta charset=iso-2022-cn><p>\x1b$)A\x0eFr"
    assert "iso-2022-cn, which is not known" in verdict("a.html", unknown)


def test_html_of_any_depth_ends_and_a_page_of_scripts_is_empty() -> None:
    assert text("a.html", "<div>" * 100 + "x") == "x\n"
    assert "too deep" in verdict("a.html", "<div>" * 5000 + "x")
    assert "holds no words" in verdict("a.html", "<script>x()</script>")


@pytest.mark.parametrize(
    "part",
    [
        "<p>t</p><script>1</script>",
        "<p>t</p><!-- c -->",
        "t<em></em><!-- c -->",
        "<li>t</li><?x?>",
        "<td>t</td><nav><b>1</b></nav>",
    ],
)
def test_what_is_left_out_of_a_page_takes_linear_time(part: str) -> None:
    assert grows_linearly(lambda count: text("a.html", f"<div>{part * count}"), 1_000)


@pytest.mark.parametrize("name", ["script", "svg", "nav", "noscript", "template", "object"])
def test_what_is_left_out_of_a_page_leaves_no_gap_and_no_metadata(name: str) -> None:
    noise = f"<{name}><title>no</title><meta name=author content=no><i>no</i></{name}><!-- no --><?no?>"
    (one,) = made("a.html", f"<body>{noise}<p>{noise}# a {noise} b{noise}c</p>{noise}d")
    assert one.text == "\\# a bc\n\nd\n"
    assert one.metadata == {}


# PDF


def test_pages_of_a_pdf_are_marked_with_its_own_labels_and_empty_ones_too() -> None:
    (one,) = made("a.pdf", files.pdf("One\nTwo", "", "Three", label="r", title="Gate"))
    assert one.text == "One\nTwo\n\n\n\nThree"
    assert one.marks == (Mark("page", 0, "i"), Mark("page", 9, "ii"), Mark("page", 11, "iii"))
    assert one.metadata == {"title": "Gate"}
    paged = outline(Document("a", one.text, marks=one.marks))
    assert [paged.page(at) for at in (0, 6, 11, 15)] == ["i", "i", "iii", "iii"]


def test_bookmarks_are_headings_where_their_words_stand() -> None:
    page = "The gate opens at seven. Faults are rare.\nAbout Faults\nFaults\nCall the team."
    (one,) = made("a.pdf", files.pdf("Gate\nWords", page, sections={0: "Gate", 1: "Faults"}))
    at = one.text.index("\nFaults\n") + 1
    assert [mark for mark in one.marks if mark.kind == "heading"] == [
        Mark("heading", 0, "Gate"),
        Mark("heading", at, "Faults"),
    ]


UPPER, LOWER = b"/XYZ 0 813.54 null", b"/XYZ 0 789.54 null"


@pytest.mark.parametrize(
    ("first", "second", "starts"),
    [
        (UPPER, LOWER, [0, 13]),
        # Where they point decides, in both forms of targets that name a height.
        (LOWER, LOWER, [13]),
        (b"/FitH 789.54", b"/FitBH 789.54", [13]),
        (b"/XYZ 0 700 null", LOWER, [13]),
        # A target that names no height leaves the order, in which one place is given away once.
        (b"/Fit", b"/Fit", [0, 13]),
        (b"/XYZ null 0 null", b"/Fit", [0, 13]),
    ],
)
def test_of_several_places_a_bookmark_takes_the_one_it_points_to(
    first: bytes, second: bytes, starts: list[int]
) -> None:
    data = files.pdf("Faults\nCall.\nFaults\nEnd.", sections={0: "Faults"})
    assert data.count(UPPER) == data.count(LOWER) == 1
    for old, new in ((LOWER, second), (UPPER, first)):
        data = data.replace(old + b"]", (new + b"]").ljust(len(old) + 1))  # nothing else moves
    (one,) = made("a.pdf", data)
    assert one.text.startswith("Faults\nCall.\nFaults")
    assert [mark.start for mark in one.marks if mark.kind == "heading"] == starts


def test_a_hyphen_at_the_end_of_a_line_is_kept_as_printed() -> None:
    assert "hydro-\nelectric" in text("a.pdf", files.pdf("The gate is hydro-\nelectric now"))


def test_a_pdf_without_words_of_its_own_or_with_a_password_gets_a_verdict() -> None:
    assert verdict("a.pdf", files.pdf("secret", password="x")) == "asks for a password"
    assert verdict("a.pdf", files.pdf("", "")) == "holds no text on its 2 pages, as a scan does"
    assert "is no whole PDF" in verdict("a.pdf", b"%PDF-1.7\nrubbish")
    assert "longer than 5 characters" in verdict("a.pdf", files.pdf("One", "Two"), most=5)


# DOCX


def test_a_docx_becomes_markdown_in_its_order() -> None:
    (one,) = made("a.docx", files.rules())
    assert one.text == (
        "# House rules\n\n## Bins\n\nRubbish on Tuesday.\n\n- glass\n  - green\n- paper\n\n"
        "| Bin | Day |\n| --- | --- |\n| a\\|b | Tue Wed |\n\nEnd.\n"
    )
    assert one.metadata == {"title": "Rules", "author": "Ann"}


TITLE, HEADING = '<w:pStyle w:val="Title"/>', '<w:pStyle w:val="Heading{}"/>'


def test_the_title_of_a_docx_holds_its_headings() -> None:
    headings = "".join(files.p(f"Part {level}", HEADING.format(level)) for level in (1, 2, 6))
    outlined = files.p("Part 3", '<w:outlineLvl w:val="2"/>')
    empty = files.p(" ", TITLE)
    assert text("a.docx", files.body(empty + headings)) == "# Part 1\n\n## Part 2\n\n###### Part 6\n"
    whole = text("a.docx", files.body(files.p("Rules", TITLE) + headings + outlined + files.p("x")))
    assert whole == "# Rules\n\n## Part 1\n\n### Part 2\n\n###### Part 6\n\n#### Part 3\n\nx\n"
    (path,) = {outline(Document("a.md", whole, media_type="text/markdown")).paths[-1]}
    assert path == ("Rules", "Part 1", "Part 2", "Part 3")
    # In a cell it is no heading, and holds none.
    boxed = row(cell("a"), f"<w:tc>{files.p('Rules', TITLE)}</w:tc>")
    assert text("a.docx", files.body(f"<w:tbl>{boxed}</w:tbl>{headings}")).splitlines()[3] == "# Part 1"


NUMBERED = '<w:pStyle w:val="ListNumber"/>'


MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def box(xml: str) -> str:
    return f"<w:p><w:r><w:pict><w:txbxContent>{xml}</w:txbxContent></w:pict></w:r></w:p>"


def hidden(value: str) -> str:
    return f"<w:r><w:rPr><w:vanish {value}/></w:rPr><w:t>hidden</w:t></w:r>"


def cell(words: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{files.p(words)}</w:tc>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (files.p("Deep", '<w:outlineLvl w:val="2"/>'), "### Deep"),
        (files.p("one", NUMBERED) + files.p("two", NUMBERED), "1. one\n2. two"),
        (files.p("# words"), "\\# words"),
        # Insertions count, deletions do not, and controls hide nothing.
        (
            f"<w:sdt><w:sdtContent>{files.p('inside')}</w:sdtContent></w:sdt>"
            "<w:p><w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
            "<w:hyperlink><w:r><w:tab/><w:t>link</w:t></w:r></w:hyperlink></w:p>",
            "inside\n\nnew link",
        ),
        (
            "<w:p><w:r><w:t>a</w:t><w:br/><w:t>- b</w:t></w:r></w:p>",
            "a\n\\- b",
        ),
        (f"<w:tbl><w:tr><w:tc>{files.p('a box')}</w:tc></w:tr></w:tbl>", "a box"),
        (
            f"<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{files.p('wide')}</w:tc></w:tr>"
            f"<w:tr><w:tc>{files.p('l')}</w:tc><w:tc><w:tbl><w:tr><w:tc>{files.p('in')}</w:tc></w:tr></w:tbl>"
            f"{files.p('r')}</w:tc></w:tr></w:tbl>",
            "| wide |  |\n| --- | --- |\n| l | in r |",
        ),
        (
            f"<w:p><w:r><w:t>before</w:t><w:pict><w:txbxContent>{files.p('boxed')}</w:txbxContent></w:pict>"
            "</w:r></w:p>",
            "before\n\nboxed",
        ),
        (box(files.p("out") + box(files.p("in"))), "out\n\nin"),
        (
            "<w:p><w:r><w:t>one</w:t><w:ptab/><w:t>two</w:t><w:sym/><w:t>three</w:t></w:r></w:p>",
            "one two three",
        ),
        ("<w:p><w:r><w:t>seen</w:t></w:r>" + hidden("") + "</w:p>", "seen"),
        ("<w:p><w:r><w:t>seen </w:t></w:r>" + hidden("w:val='0'") + "</w:p>", "seen hidden"),
        # Moved text stands where it was moved to, and once.
        (
            "<w:p><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:t>stays </w:t></w:r>"
            "<w:moveTo><w:r><w:t>moved</w:t></w:r></w:moveTo></w:p>",
            "stays moved",
        ),
        (
            f"<w:p><w:r><mc:AlternateContent {MC}><mc:Choice Requires='x'><w:t>once</w:t></mc:Choice>"
            "<mc:Fallback><w:t>once</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>",
            "once",
        ),
        (
            files.p("one", NUMBERED) + files.p("out", f"{NUMBERED}<w:numPr><w:numId w:val='0'/></w:numPr>"),
            "1. one\n\nout",
        ),
        (
            row(cell("a"), cell("b"), cell("c")) + row(cell("d"), properties="<w:gridBefore w:val='1'/>"),
            "| a | b | c |\n| --- | --- | --- |\n|  | d |",
        ),
        (
            row(cell("a"), cell("b", "<w:vMerge w:val='restart'/>"))
            + row(cell("c"), cell("unseen", "<w:vMerge/>")),
            "| a | b |\n| --- | --- |\n| c |  |",
        ),
        (row(cell("a"), cell("b", f"<w:gridSpan w:val='{'9' * 5000}'/>")), "| a | b |\n| --- | --- |"),
    ],
)
def test_structure_of_docx(xml: str, expected: str) -> None:
    xml = f"<w:tbl>{xml}</w:tbl>" if xml.startswith("<w:tr>") else xml
    assert text("a.docx", files.body(xml)) == expected + "\n"


def test_deeper_lists_of_docx_begin_anew_below_each_item() -> None:
    document = docx.Document()
    depths = "".join(f'<w:lvl w:ilvl="{depth}"><w:numFmt w:val="decimal"/></w:lvl>' for depth in range(3))
    numbering = document.part.numbering_part.element
    for xml in (
        f'<w:abstractNum {files.W} w:abstractNumId="99">{depths}</w:abstractNum>',
        f'<w:num {files.W} w:numId="99"><w:abstractNumId w:val="99"/></w:num>',
    ):
        numbering.append(docx.oxml.parse_xml(xml))
    for words, depth in (("a", 0), ("b", 1), ("c", 1), ("d", 0), ("e", 1)):
        place = f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="99"/></w:numPr>'
        paragraph = files.p(words, place).replace("<w:p>", f"<w:p {files.W}>", 1)
        document.element.body.append(docx.oxml.parse_xml(paragraph))
    expected = "1. a\n   1. b\n   2. c\n2. d\n   1. e\n"
    assert text("a.docx", files.saved(document)) == expected


def test_hostile_docx_get_a_verdict() -> None:
    rules = files.rules()
    padded = files.replaced(rules, "docProps/thumbnail.jpeg", b"x" * 4 * MOST)
    assert (
        verdict("a.docx", padded)
        == "what it unpacks to is longer than 4,000,000 characters, the limit for a file"
    )
    bomb = files.replaced(rules, "word/document.xml", b" " * (MOST + 1))
    assert verdict("a.docx", bomb).startswith("a part of it, unpacked, is longer than 1,000,000")
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    xml = f'<!DOCTYPE w [<!ENTITY e0 "aaaaaaaaaa">{entities}]><w:document {files.W}><w:body>&e8;</w:body>'
    grown = files.replaced(rules, "word/document.xml", f"{xml}</w:document>".encode())
    assert isinstance(made("a.docx", grown), Problem)
    assert "could not be read by python-docx" in verdict(
        "a.docx", files.replaced(rules, "word/document.xml", b"<w:document")
    )
    assert "is no whole DOCX" in verdict("a.docx", rules[: len(rules) // 2])
    assert "password-protected" in verdict("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 99)
    assert verdict("a.docx", files.body(files.p(" "))) == "holds no text"


# Rows


def test_rows_of_a_table_become_documents() -> None:
    choice = Choice(rows=Rows(("subject", "body"), "ticket", ("team", "year")))
    texts = made("t.csv", files.TABLE, choice)
    assert [(one.suffix, one.text, dict(one.metadata), one.row) for one in texts] == [
        ("/A1.txt", "Gate\n\nIt is\r\nstuck", {"team": "ops", "year": 2024}, 1),
        ("/B2.txt", "Bin\n\nFull", {"team": "007"}, 2),
    ]
    assert [one.suffix for one in made("t.csv", files.TABLE, Choice(rows=Rows(("body",))))] == [
        "/1.txt",
        "/2.txt",
    ]


def test_objects_a_line_become_documents_with_values_as_they_are() -> None:
    texts = made("t.jsonl", files.LINES, Choice(rows=Rows(("q",), "id", ("tags", "by"))))
    assert [(one.suffix, one.text, dict(one.metadata)) for one in texts] == [
        ("/5.txt", "What?", {"tags": "a, b", "by.n": 1}),
        ("/x.txt", "Who?", {}),
    ]


@pytest.mark.parametrize(
    ("name", "data", "rows", "what"),
    [
        ("t.csv", "a;b\n1;2\n", Rows(("b",)), 'has one column, with ";" in its head'),
        ("t.csv", "a,b\n1,2\n", Rows(("c",)), "has no column c. Known: a, b"),
        ("t.csv", "a,a\n1,2\n", Rows(("a",)), "has 2 columns called a"),
        ("t.csv", "a,b\n1,2\n1\n", Rows(("a",)), "row 2 (line 3) has 1 cells, and the head 2"),
        (
            "t.csv",
            'a,b\n"1,2\n',
            Rows(("a",)),
            "line 2 is no row of a table (unexpected end of data), so what follows",
        ),
        ("t.csv", "a,b\n", Rows(("a",)), "holds no row"),
        ("t.csv", "a,b\nx,1\ny,1\n", Rows(("a",), "b"), "row 2 (line 3) has the b 1 of row 1 (line 2)"),
        (
            "t.csv",
            "a,b\nx,\n ,1\n",
            Rows(("a",), "b"),
            "row 1 (line 2) has no b; row 2 (line 3) holds no text",
        ),
        *(
            ("t.csv", f"a,b\nx,{bad}\n", Rows(("a",), "b"), "which can name no file")
            for bad in ("../x", ".x", "a/b", "a:b", "con", "c" * 242, "\u9580" * 81, "a\x07")
        ),
        (
            "t.csv",
            "a,b\nx,A1\ny,a1\n",
            Rows(("a",), "b"),
            "row 2 (line 3) has the b a1 of row 1 (line 2) (A1, one name on some systems)",
        ),
        ("t.jsonl", '{"a": "x"}\n{"b": 1}', Rows(("ac",)), "has no field ac in any row. Did you mean a?"),
        ("t.jsonl", '{"a": "x"}', Rows(("a",), "id"), "has no field id in any row. Known: a"),
        ("t.jsonl", '{"a": "x"}', Rows(("a",), None, ("yaer",)), "has no field yaer in any row"),
        ("t.jsonl", '{"a": "x"}\n{"a": 1, "a": 2, "b": 1}', Rows(("a",)), "line 2 has a twice"),
        (
            "t.jsonl",
            '{"a": "x", "id": 1.5}',
            Rows(("a",), "id"),
            "line 1 has the id 1.5, which can name no file",
        ),
        (
            "t.jsonl",
            '{"a": "x", "id": true}',
            Rows(("a",), "id"),
            "line 1 has the id true, which can name no file",
        ),
        ("t.jsonl", '{"a": "x", "id": null}', Rows(("a",), "id"), "line 1 has no id"),
        ("t.jsonl", '{"a": 1}\n{"a"', Rows(("a",)), "line 2 is no JSON (Expecting ':' delimiter, column 5)"),
        ("t.jsonl", "[1]", Rows(("a",)), "line 1 is no object"),
        ("t.jsonl", '{"a": {"b": 1}}', Rows(("a",)), "line 1 has no text in a"),
        (
            "t.jsonl",
            '{"a": "x", "n": [[1]]}',
            Rows(("a",), None, ("n",)),
            "line 1 has metadata n is a list of 1",
        ),
    ],
)
def test_what_is_wrong_with_rows_is_one_verdict(name: str, data: str, rows: Rows, what: str) -> None:
    assert what in verdict(name, data, Choice(rows=rows))


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        (
            "t.csv",
            'a,b\n"x\ny",1\nx\n\nx,1\n,2\nx,3,4\nx,con\nx,4\n"x"y,5\nx,6\n',
            [
                "row 2 (line 4) has 1 cells, and the head 2",
                "row 3 (line 6) has the b 1 of row 1 (line 2)",
                "row 4 (line 7) holds no text",
                "row 5 (line 8) has 3 cells, and the head 2",
                "row 6 (line 9) has the b con, which can name no file",
                "and 1 more",
            ],
        ),
        (
            "t.jsonl",
            '{"a": "x", "b": 1}\n{"a":\n[1]\n\n{"a": "x"}\n{"a": "y", "b": 1}\n',
            [
                "line 2 is no JSON (Expecting value, column 6)",
                "line 3 is no object of names and values",
                "line 5 has no b",
                "line 6 has the b 1 of line 1",
            ],
        ),
        (
            "t.jsonl",
            '{"c": "x"}\n{"c": 1, "c": 2}\n{"c": 1} 2',
            [
                "has no fields a and b in any row that can be read. Known: c",
                "line 2 has c twice in one object",
                "line 3 is no JSON (Extra data, column 10)",
            ],
        ),
        ("t.csv", "a,c,a\n1,2,3\n", ["has 2 columns called a", "has no column b. Known: a, c"]),
    ],
)
def test_all_that_is_wrong_with_the_rows_of_a_file_is_told_at_once(
    name: str, data: str, told: list[str]
) -> None:
    assert verdict(name, data, Choice(rows=Rows(("a",), "b"))) == "; ".join(told)


def test_names_of_rows_are_as_long_as_their_files_can_be() -> None:
    for name in ("c" * 241, "\u9580" * 80):
        (one,) = made("t.csv", f"a,b\nx,{name}\n", Choice(rows=Rows(("a",), "b")))
        assert one.suffix == f"/{name}.txt"


def test_a_delimiter_may_be_named() -> None:
    assert text("t.csv", "a;b\n1,5;x\n", Choice(rows=Rows(("a",), delimiter=";"))) == "1,5"


# Others


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.txt", b"", "is empty"),
        ("a.pdf", b"", "is empty"),
        ("a.txt", b" \n\t", "holds white space alone"),
        ("a.txt", "\u2003\n".encode(), "holds white space alone"),
        ("a.txt", "Fünf".encode("cp1252"), "it could be Windows cp1252"),
        ("a.txt", "Fünf".encode("utf-16"), "is UTF-16"),
        ("a.txt", b"a\0b c d e", "holds a NUL"),
        ("a.txt", b"%PDF-1.7", "is a PDF under another name"),
        ("a.png", b"\x89PNG\r\n\x1a\n\0", "is a PNG image, not text"),
        ("a.xlsx", b"PK\x03\x04\0\0", "is an Excel workbook, not text"),
        ("a.zip", b"PK\x03\x04\0\0", "is a ZIP archive, not text"),
        ("a.woff2", b"wOF2\0\1", "is a font, not text"),
        ("a.rtf", b"{\\rtf1 words}", "is RTF, not text"),
        ("a.docx", b"PK\x03\x04\0\0", "is no whole DOCX"),
        ("a.docx", b"{\\rtf1 words}", "is RTF, not DOCX"),
        ("a.pdf", b"PK\x03\x04\0\0", "is a ZIP archive, not PDF"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(name: str, data: bytes, what: str) -> None:
    assert what in verdict(name, data)


@pytest.mark.parametrize(
    "name", ["manual", "manual.doc", "manual.docx", "manual.html", "manual.csv", "manual.pdf"]
)
@pytest.mark.parametrize("suffix", [".pdf", ".docx"])
def test_a_file_under_another_name_is_to_be_renamed_and_then_read(name: str, suffix: str) -> None:
    data = files.pdf("x") if suffix == ".pdf" else files.rules()
    told = made(name, data)
    if name.endswith(suffix):
        assert not isinstance(told, Problem)
        return
    assert isinstance(told, Problem)
    assert "under another name" in told.what
    assert told.remedy == f"Rename it manual{suffix}"
    assert not isinstance(made(f"manual{suffix}", data), Problem)


def test_a_text_may_begin_like_a_signature() -> None:
    assert text("a.txt", b"RIFFs are played on guitars.") == "RIFFs are played on guitars."


@pytest.mark.parametrize(
    "line", ["# a", "- a", "+", "> a", "```", "~~~x", "---", "===", "***", "=", "--", "= ", "<div>", "<!-- a"]
)
def test_words_are_not_taken_for_structure(line: str) -> None:
    assert literal(line) == f"\\{line}"
    words = f"Words before.\n\n{literal(line)}\n\n# Heading\n"
    (path,) = outline(Document("a.md", words, media_type="text/markdown")).paths
    assert path == ("Heading",)


@pytest.mark.parametrize("line", ["=", "--", "==="])
def test_no_line_makes_a_heading_of_the_one_before(line: str) -> None:
    words = text("a.html", f"<p>Total<br>{line}</p>")
    assert words == f"Total\n\\{line}\n"
    assert outline(Document("a.md", words, media_type="text/markdown")).paths == ()
