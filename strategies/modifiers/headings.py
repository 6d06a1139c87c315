"""The `headings` modifier: a line before the chunk that tells the embedder where it stands."""

from __future__ import annotations

from strategies.document import Document

HEADINGS = {
    "none": "the text alone",
    "section": "the heading path before it: `[Section: Access > Passwords]`",
    "document": "the title and the heading path: `[Document: Policy > Section: Access > Passwords]`",
}
"""What may stand before a chunk's text in what is embedded; `text` itself never changes."""


def heading_line(document: Document, section: tuple[str, ...], headings: str) -> str:
    """The line to prepend, with its line end; empty if there is nothing to say.

    The title is the document's metadata `title`, or its id. A first heading that only repeats the title
    is said once.

    >>> policy = Document("policy.md", "", {"title": "Security Policy"})
    >>> heading_line(policy, ("Security Policy", "MFA Requirements"), "document")
    '[Document: Security Policy > Section: MFA Requirements]\\n'
    >>> heading_line(policy, ("Security Policy", "MFA Requirements"), "section")
    '[Section: Security Policy > MFA Requirements]\\n'
    >>> heading_line(policy, (), "section")
    ''
    """
    if headings == "none":
        return ""
    parts: list[str] = []
    if headings == "document":
        title = _one_line(str(document.metadata.get("title", document.id)))
        parts.append(f"Document: {title}")
        if section and _one_line(section[0]).casefold() == title.casefold():
            section = section[1:]
    if section:
        parts.append(f"Section: {' > '.join(_one_line(heading) for heading in section)}")
    return f"[{' > '.join(parts)}]\n" if parts else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
