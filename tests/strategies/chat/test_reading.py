"""Whatever an endpoint sends is an answer or a failure."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from strategies.language_model.chat_client import Answer, Failure, read
from strategies.language_model.chat_model import ChatModel


class TestReading:
    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
            lambda inner: (
                st.lists(inner)
                | st.dictionaries(
                    st.sampled_from(
                        [
                            "choices",
                            "message",
                            "content",
                            "refusal",
                            "finish_reason",
                            "usage",
                            "prompt_tokens",
                        ]
                    ),
                    inner,
                )
            ),
        )
    )
    def test_whatever_json_comes_it_is_an_answer_or_a_failure(self, value: object) -> None:
        model = ChatModel(base_url="http://here", model="m")
        for body in (value, {"choices": [value]}, {"choices": [{"message": value}]}, {"choices": value}):
            outcome = read(json.dumps(body).encode(), "prompt", 1.0, model)
            if isinstance(outcome, Answer):
                assert outcome.text.strip()
                assert outcome.input_tokens >= 0
            else:
                assert isinstance(outcome, Failure)
                assert outcome.what

    @given(st.binary())
    def test_whatever_bytes_come_they_are_a_failure(self, body: bytes) -> None:
        assert isinstance(read(body, "prompt", 1.0, ChatModel(base_url="http://here", model="m")), Failure)
