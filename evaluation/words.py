"""What a word is, for all that counts and compares words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

import regex

NO_SPACES = (
    r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\u30fc"  # the last prolongs vowels
)
"""Characters of scripts that put no spaces between words, as the inside of a class of `regex`."""

_WORD = regex.compile(rf"[{NO_SPACES}]+|(?:(?![{NO_SPACES}])[\p{{L}}\p{{M}}\p{{N}}_])+")
_RUN = regex.compile(rf"[{NO_SPACES}]")


def words(text: str) -> list[str]:
    """The words of a text, as they are indexed and asked for.

    Normalised (NFKC) and lower-cased; runs of letters, marks, digits and underscores. Where a script puts
    no spaces between words, every two neighbouring characters are one. Nothing is stemmed or stopped.

    >>> words("The ÖFFNUNG of Gate_7: 10.30, it's"), words("犬は鎖に"), words("ﬁle 門")
    (['the', 'öffnung', 'of', 'gate_7', '10', '30', 'it', 's'], ['犬は', 'は鎖', '鎖に'], ['file', '門'])
    """
    plain = unicodedata.normalize("NFKC", text).lower()
    found: list[str] = _WORD.findall(plain)
    return found if plain.isascii() or _RUN.search(plain) is None else list(_parted(found))


def spaced(word: str) -> bool:
    """Whether a word is of a script that puts spaces between words.

    >>> spaced("gate"), spaced("犬は")
    (True, False)
    """
    return _RUN.match(word) is None


def _parted(found: Iterable[str]) -> Iterator[str]:
    """Words, and the pairs of characters of runs without spaces."""
    for word in found:
        if not spaced(word) and len(word) > 1:
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield word
