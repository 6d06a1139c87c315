"""Sources that no author would write, for strategies that read HTML."""

from __future__ import annotations

from hypothesis import strategies as st

TAGS = [
    *(
        "<p>",
        "</p>",
        "<div class='a b'>",
        "</div>",
        "<b>",
        "</b>",
        '<a href="x > y">',
        "</a>",
        "<br>",
        "<br/>",
    ),
    *("<h1>", "</h1>", "<h2 id=x>", "</h2>", "<section>", "</section>", "<blockquote>", "</blockquote>"),
    *("<ul>", "</ul>", "<li>", "</li>", "<dl>", "<dt>", "<dd>", "</dl>", "<hr>", "<pre>", "</pre>", "<img>"),
    *("<table>", "</table>", "<thead>", "<tbody>", "<tr>", "</tr>", "<td>", "</td>", "<th>", "<caption>"),
    *("<script>", "</script>", "<style>", "</style>", "<title>", "</title>", "<!-- c -->", "<!--", "-->"),
    *("<!DOCTYPE html>", "<![CDATA[", "]]>", "<?php", "</", "<", ">", "<x y='", '"', "'", "=", "/>", "</x>"),
]
TEXT = [
    *(
        "The gate opens. ",
        "Dogs stay",
        " out. Dr. No",
        "&amp;",
        "&lt;p&gt;",
        "&#x1F989;",
        "&",
        "&#99999999999;",
    ),
    *(
        "\n",
        "\r\n",
        "\n\n",
        "  ",
        "\t",
        "x" * 30,
        "é漢🦉",
        "e\u0301",
        "\u2028",
        "\x00",
        "\xa0",
        "| a | b |\n|-|-|\n",
    ),
    *("```\n", "# A\n", "{", '"a": [1, 2]', "}\n", "[", "]\n", "one two three four five"),
]

sources = st.lists(st.sampled_from(TAGS) | st.sampled_from(TEXT), max_size=40).map("".join)
"""Tags and text in any order, closed or not."""

ENDLESS = (
    *(
        "<",
        "<!--",
        "<!-- -",
        "<a b='",
        '<a b=">"',
        "<a ",
        "<a",
        "<a b=",
        "</",
        "</p>",
        "<![CDATA[",
        "<!",
        "&",
    ),
    *(
        "&#1",
        "&amp;",
        "<p>",
        "<div>",
        "<ul><li>",
        "<ul><li>a",
        "<dl><dt>a<dd>",
        "<table><tr><td>",
        "<li>a",
        "<h1>",
    ),
    *(
        "<h1>a",
        "<h2></h2>",
        "<br>",
        "<b>",
        "<b>a",
        "a<b>",
        "<pre>",
        "<title>",
        "<script>",
        "</script",
        "<blockquote>",
    ),
    *(
        "<table>",
        "<tr>",
        "</tr>",
        "<td>a",
        "<p>a</p>",
        "<th>",
        "<thead>",
        "<hr>",
        "<a>\n",
        "<a\n",
        "<x y=\"' z='\"",
    ),
)
"""What is worth repeating a hundred thousand times."""
