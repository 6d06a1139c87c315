"""Which measures of ragas there are, what each reads, and whom it asks."""

from __future__ import annotations

from typing import Literal, NamedTuple

Reads = Literal[
    "user_input",
    "response",
    "reference",
    "retrieved_contexts",
    "reference_contexts",
    "retrieved_context_ids",
    "reference_context_ids",
]
"""What ragas calls what it is given."""

Embeds = Literal["query", "passage"]


class Measure(NamedTuple):
    """One measure."""

    library_class: str
    """Its class in ragas 0.4.3."""
    reads: tuple[Reads, ...]
    asks: bool
    """Whether a language model is asked."""
    label: str
    meaning: str
    embeds: Embeds | None = None
    """As what it has texts embedded, if it does."""

    @property
    def answers(self) -> bool:
        """Whether it judges an answer, which must be written first."""
        return "response" in self.reads


JUDGED: dict[str, Measure] = {
    "ragas_id_context_precision": Measure(
        "IDBasedContextPrecision",
        ("retrieved_context_ids", "reference_context_ids"),
        False,
        "ragas id precision",
        "Share of the retrieved chunks that are relevant by the sweep's rule",
    ),
    "ragas_id_context_recall": Measure(
        "IDBasedContextRecall",
        ("retrieved_context_ids", "reference_context_ids"),
        False,
        "ragas id recall",
        "Share of the chunks relevant by the sweep's rule that are retrieved",
    ),
    "ragas_nonllm_context_precision": Measure(
        "NonLLMContextPrecisionWithReference",
        ("retrieved_contexts", "reference_contexts"),
        False,
        "ragas string precision",
        "Average precision of contexts that are spelled like the evidence; punishes long chunks",
    ),
    "ragas_nonllm_context_recall": Measure(
        "NonLLMContextRecall",
        ("retrieved_contexts", "reference_contexts"),
        False,
        "ragas string recall",
        "Share of the evidence that some context is spelled like; punishes long chunks",
    ),
    "ragas_context_precision": Measure(
        "ContextPrecisionWithReference",
        ("user_input", "reference", "retrieved_contexts"),
        True,
        "ragas precision",
        "Average precision of contexts that a judge finds useful for the reference",
    ),
    "ragas_context_precision_without_reference": Measure(
        "ContextPrecisionWithoutReference",
        ("user_input", "response", "retrieved_contexts"),
        True,
        "ragas precision, no reference",
        "Average precision of contexts that a judge finds useful for the generated answer",
    ),
    "ragas_context_recall": Measure(
        "ContextRecall",
        ("user_input", "retrieved_contexts", "reference"),
        True,
        "ragas recall",
        "Share of the reference's statements that a judge finds in the contexts",
    ),
    "ragas_context_relevance": Measure(
        "ContextRelevance",
        ("user_input", "retrieved_contexts"),
        True,
        "ragas relevance",
        "How well the contexts suit the question: mean of two ratings of a judge",
    ),
    "ragas_faithfulness": Measure(
        "Faithfulness",
        ("user_input", "response", "retrieved_contexts"),
        True,
        "ragas faithfulness",
        "Share of the generated answer's statements that a judge finds in the contexts",
    ),
    "ragas_answer_relevancy": Measure(
        "AnswerRelevancy",
        ("user_input", "response"),
        True,
        "ragas answer relevancy",
        "Similarity of the question to one that a judge makes of the generated answer; 0 if it is evasive",
        "query",
    ),
    "ragas_answer_correctness": Measure(
        "AnswerCorrectness",
        ("user_input", "response", "reference"),
        True,
        "ragas correctness",
        "F1 of the generated answer's statements against the reference's (3/4), and their similarity (1/4)",
        "passage",
    ),
}
"""Every measure, by the name that a sweep and a table call it by."""
