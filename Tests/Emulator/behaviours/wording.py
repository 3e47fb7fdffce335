"""Error names and texts where ministack differs from what is known of the service.

Texts are quoted from Amazon's documentation and from public issue reports.
"""

from __future__ import annotations

import re

from ..answers import Answer, Call, refusal
from . import Behaviour

_UNKNOWN_CLIENT = re.compile(r"Client (\S+) not found\.")
_WRONG_HASH = re.compile(r"Unable to verify secret hash for client (\S+)")


class Wording(Behaviour):
    def after(self, call: Call, answer: Answer) -> Answer:
        name = answer.error_name
        if name == "InvalidAction":
            return refusal("UnknownOperationException", "")
        if name == "InvalidParameterException" and answer.message.startswith("Unsupported AuthFlow: "):
            return refusal(name, "Initiate Auth method not supported.")
        if name == "ResourceNotFoundException":
            match = _UNKNOWN_CLIENT.fullmatch(answer.message)
            if match:
                return refusal(name, f"User pool client {match[1]} does not exist.")
        if name == "NotAuthorizedException" and "InitiateAuth:REFRESH_TOKEN_AUTH" in call.selectors:
            match = _WRONG_HASH.fullmatch(answer.message)
            if match:
                return refusal(name, f"SecretHash does not match for the client: {match[1]}")
        return answer
