"""The list of a group's members, as an administrator's machine asks for it.

From the service's own model: ListUsersInGroup, its members and bounds. From the documentation: the category UserList
has 30 requests a second, beyond which TooManyRequestsException is answered.
Our reading, stricter than what is written: a NextToken is opaque, long, good for the very list that it is of, and no
longer than five minutes; where the last page is full it has a NextToken all the same, and an empty page follows; people
are listed in no order that their names have.
"""

from __future__ import annotations

import hashlib
import secrets
import time

from ..answers import Answer, Call, refusal, success
from ..backend import Backend
from ..outbox import Switches
from . import Behaviour

_LARGEST_PAGE = 60
_TOKEN_SECONDS = 300.0


class Directory(Behaviour):
    def __init__(self, backend: Backend, switches: Switches) -> None:
        self._backend = backend
        self._switches = switches
        self._tokens: dict[str, tuple[str, str, int, float]] = {}
        self._left = 0.0
        self._counted = 0.0

    def before(self, call: Call) -> Answer | None:
        if call.operation != "ListUsersInGroup":
            return None
        if not self._admits():
            return refusal("TooManyRequestsException", "Rate exceeded")
        pool_id, name = call.text("UserPoolId"), call.text("GroupName")
        pool = self._backend.pool(pool_id)
        if pool is None:
            return refusal("ResourceNotFoundException", f"User pool {pool_id} does not exist.")
        group = pool["_groups"].get(name)
        if group is None:
            return refusal("ResourceNotFoundException", "Group not found.")
        start, token = 0, call.text("NextToken")
        if token:
            of_pool, of_group, start, end = self._tokens.get(token, ("", "", 0, 0.0))
            if (of_pool, of_group) != (pool_id, name) or time.monotonic() > end:
                return refusal("InvalidParameterException", "Invalid pagination token.")
        members = [user for user in group.get("_members", []) if user in pool["_users"]]
        members.sort(key=lambda user: hashlib.sha256(user.encode()).digest())
        size = min(int(call.body.get("Limit") or _LARGEST_PAGE), _LARGEST_PAGE)
        page = members[start : start + size]
        answer: dict[str, object] = {
            "Users": [self._backend.cognito._user_out(pool["_users"][user]) for user in page],
        }
        if page and len(page) == size:
            answer["NextToken"] = self._token(pool_id, name, start + size)
        return success(answer)

    def add(self, pool: dict, count: int, group: str, prefix: str, attributes: dict[str, str]) -> None:
        """That many people in the group, `prefix` with a number behind it; `{uid}` in attributes is 70000 and that."""
        for number in range(count):
            name = f"{prefix}{number:05}"
            described = {k: v.replace("{uid}", str(70_000 + number)) for k, v in attributes.items()}
            described = {"sub": secrets.token_hex(16), **described}
            self._backend.add_user(pool, name, described, UserStatus="CONFIRMED", _groups=[group])
            pool["_groups"][group].setdefault("_members", []).append(name)

    def reset(self) -> None:
        self._left = self._counted = 0.0

    def _admits(self) -> bool:
        """Whether one more request is within the rate; what is not used up of it is good for a second."""
        now, rate = time.monotonic(), self._switches.list_rate
        self._left = min(rate, self._left + (now - self._counted) * rate)
        self._counted = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def _token(self, pool_id: str, group: str, start: int) -> str:
        token = secrets.token_urlsafe(600)
        self._tokens[token] = (pool_id, group, start, time.monotonic() + _TOKEN_SECONDS)
        return token
