"""A pre-authentication Lambda function that refuses certain users.

From Amazon's documentation: the trigger runs before the password is looked at, and its refusal is a
UserLambdaValidationException with its text. Our reading: it does not run for users who are unknown or disabled.
"""

from __future__ import annotations

from ..answers import Answer, refusal


def lambda_refusal(text: str) -> Answer:
    return refusal("UserLambdaValidationException", f"PreAuthentication failed with error {text}.")


def gate(user: dict) -> Answer | None:
    text = user.get("_lambda_refusal")
    return lambda_refusal(text) if isinstance(text, str) else None
