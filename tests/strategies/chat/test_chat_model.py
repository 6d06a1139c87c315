"""The parameters of a model."""

from __future__ import annotations

import pytest

from strategies.errors import BadInput
from strategies.language_model.chat_model import ChatModel


class TestModel:
    def bad(self, **values: object) -> dict[str, str]:
        with pytest.raises(BadInput) as error:
            ChatModel(**({"base_url": "http://here/v1", "model": "m"} | values))  # type: ignore[arg-type]
        return {problem.where: str(problem) for problem in error.value.problems}

    @pytest.mark.parametrize("address", ["", "here", "ftp://here/v1", "http://", "http://here:99999/"])
    def test_an_address_must_be_one(self, address: str) -> None:
        assert "not an address" in self.bad(base_url=address)["base_url"]

    @pytest.mark.parametrize("part", ["ada:secret@", "secret@"])
    def test_an_address_with_a_secret_is_refused_and_not_shown(self, part: str) -> None:
        assert "secret" not in self.bad(base_url=f"https://{part}here/v1")["base_url"]
        assert "secret" not in self.bad(base_url="https://here/v1?key=secret")["base_url"]

    @pytest.mark.parametrize("key", ["sk-secret123", "gsk_secret123", "secret"])
    def test_a_key_in_place_of_its_variable_is_refused_and_not_shown(self, key: str) -> None:
        said = self.bad(api_key_env=key)["api_key_env"]
        assert "secret" not in said
        assert "OPENAI_API_KEY" in said

    def test_all_problems_at_once(self) -> None:
        said = self.bad(
            model=" ",
            temperature=-1,
            max_output_tokens=0,
            timeout_s=0,
            retries=-1,
            concurrency=0,
            price_per_million_input_tokens=-1,
        )
        assert said.keys() == {
            *("model", "temperature", "max_output_tokens", "timeout_s", "retries", "concurrency"),
            *("price_per_million_input_tokens", "price_per_million_output_tokens"),
        }
