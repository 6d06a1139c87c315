"""Words that name nothing: what they share says nothing about two texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence

_ENGLISH = """
a about above across after again against all almost along already also although always am among an and
another any anyone anything are around as ask at away back be became because become been before behind
being below between both but by can cannot could d did didn do does doesn doing don done down during each
eight either else enough especially etc even ever every everyone everything far few five for four from
further get gets getting given go goes going got had hadn has hasn have haven having he her here hers
herself him himself his how however i if in instead into is isn it its itself just kind kinds least less
let like ll long m made main make makes making many may maybe me might mine more most mostly much must my
myself near need needs neither never next nine no nobody none nor not nothing now o of off often on once
one only onto or other others ought our ours ourselves out over own part per perhaps please possible put
quite rather re really s same say says seven several shall she should shouldn since six so some somebody
someone something sometimes soon still such t take taken takes tell ten than that the their theirs them
themselves then there therefore these they thing things this those though three through thus to together
told too toward towards two under unless until up upon us use used uses using usually ve very via want was
wasn way ways we well were weren what whatever when whenever where wherever whether which while who
whoever whole whom whose why will with within without won would wouldn yes yet you your yours yourself
"""
ENGLISH = frozenset(_ENGLISH.split())
"""English words of grammar, of asking, and of so many meanings that they have none."""

_SPEAKING_OF_TEXT = """
according advantage advantages amount answer answers applied applies apply article articles aspect aspects
author authors bad benefit benefits best better big called came cause caused causes change changed changes
chapter chapters characteristic characteristics come compare compared conclusion conclusions context date
day decide decided decision describe described describes description detail detailed details difference
differences disadvantage disadvantages discuss discussed discusses document documents effect effects end
ended event events example examples explain explained explains fact factor factors facts false feature
features figure figures find finding findings first follow followed following found good happen happened
happening happens high highlight highlighted idea ideas impact importance important include included
includes info information involve involved issue issues key know known last list listed lists look low
mean meaning means measure measures mention mentioned mentions mr mrs name names narrator new note noted
number numbers occur occurred occurs old outcome outcomes overall page pages paper papers paragraph
paragraphs passage passages people person place places point points problem problems process provide
provided provides publish published purpose question questions reason reasons refer referred refers relate
related report reported reports responsible result results right role said say second section sections see
seen show showed shown shows significance significant situation small speaker specific start started state
stated states step steps study summarise summarised summarize summarized summary table tables talk talked
talking talks text texts time times title topic topics total true turn turned turns type types value
values work works worse worst write writer writes written wrong wrote year years
"""
SPEAKING_OF_TEXT = frozenset(_SPEAKING_OF_TEXT.split())
"""English words by which a question speaks of a text, or of what happens in it, without naming it."""

ENGLISH_FROM = 0.2
"""Share of the questions' words in `ENGLISH` from which they are taken for English, where half are."""
COMMON_FROM = 0.005
"""In another language, a word that makes up so much of the documents is one of grammar: of English ones
some 25 do, from `the` to `with`."""
COMMON_TIMES = 20
"""And that stands so often: in a few pages, what they are about is soon as frequent as that."""
ASKED_FROM = 0.1
"""A word in so many of the questions is one of asking, which documents need not have."""
FEWEST_QUESTIONS = 20
"""Of fewer, the same name is soon in a tenth."""


def common_words(questions: Sequence[Sequence[str]], frequency: Mapping[str, int]) -> Container[str]:
    """Words to leave out: the English ones, or in another language the most frequent.

    `questions` are the words of each, `frequency` says how often each word stands in the documents.
    """
    asked = Counter(word for words in questions for word in words)
    if asked and sum(asked[word] for word in ENGLISH) >= ENGLISH_FROM * asked.total():
        return ENGLISH
    total = sum(frequency.values())
    least = max(COMMON_TIMES, COMMON_FROM * total)
    common = {word for word, count in frequency.items() if count >= least}
    if len(questions) >= FEWEST_QUESTIONS:
        holding = Counter(word for words in questions for word in set(words))
        common.update(word for word, count in holding.items() if count >= ASKED_FROM * len(questions))
    return common
