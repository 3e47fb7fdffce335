"""Remembered devices: registration, DEVICE_SRP_AUTH, DEVICE_PASSWORD_VERIFIER, and refresh tokens bound to a device.

From Amazon's documentation and open-source clients: NewDeviceMetadata at sign-in, the proof (SRP with the group key for
the pool's name, the device key for the user's), that a remembered device can replace MFA. From public issue reports:
the texts for a forgotten device and for a refresh without DEVICE_KEY. Our reading: every confirmed device is asked for
its proof, a remembered one instead of MFA where the pool asks for a challenge on new devices, any other one after MFA;
a forgotten device is noticed after the password and ends its refresh tokens; a wrong proof leaves the session usable; a
DEVICE_KEY is ignored where the pool does not track devices. Clients differ on whether device challenges have a session;
by default both have one and want it back, a pool's `device_sessions` leaves it to the first one, as with a password's
proof, or to none, and finds what is missing by user, client and device.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import secrets
import string
import time
import uuid
from collections import OrderedDict

from ..answers import Answer, Call, refusal, success
from ..backend import Backend
from ..sign_in import Challenge, Session, Sessions, SignIn, missing
from . import Behaviour
from .proofs import WRONG, Proofs

_ABSENT = ("ResourceNotFoundException", "Device does not exist.")
_BAD_REFRESH = ("NotAuthorizedException", "Invalid Refresh Token.")
_REFRESH_FLOWS = ("REFRESH_TOKEN_AUTH", "REFRESH_TOKEN")
_OPERATIONS = ("ConfirmDevice", "GetDevice", "ListDevices", "UpdateDeviceStatus", "ForgetDevice")
_MAXIMUM_DEVICES = 100
_MAXIMUM_SIGN_INS = 50_000
_LONGEST_VERIFIER = 1024


class Devices(Challenge, Behaviour):
    names = ("DEVICE_SRP_AUTH", "DEVICE_PASSWORD_VERIFIER")

    def __init__(self, backend: Backend, sessions: Sessions, proofs: Proofs) -> None:
        self._backend = backend
        self._sessions = sessions
        self._proofs = proofs
        self._sign_ins: OrderedDict[str, str] = OrderedDict()

    # Signing in

    def step_before_mfa(self, sign_in: SignIn, pool: dict) -> Answer | None:
        """Refuse a device that is not known, and ask one that stands in for MFA."""
        if not _tracking(pool) or not sign_in.device_key or "device" in sign_in.done:
            return None
        device = _devices(sign_in.user).get(sign_in.device_key)
        if device is None:
            return refusal(*_ABSENT)
        return self._ask(sign_in, pool) if _replaces_mfa(pool, device) else None

    def step_after_mfa(self, sign_in: SignIn, pool: dict) -> Answer | None:
        if not _tracking(pool) or not sign_in.device_key or "device" in sign_in.done:
            return None
        return self._ask(sign_in, pool)

    def finish(self, sign_in: SignIn, pool: dict, result: dict) -> dict:
        """The tokens of a sign-in with the device that they belong to."""
        if not _tracking(pool):
            return result
        key = sign_in.device_key
        if "device" not in sign_in.done:
            key = f"{sign_in.pool_id.split('_')[0]}_{uuid.uuid4()}"
            given = sign_in.user.setdefault("_new_devices", OrderedDict())
            given[key] = _group_key(pool)
            if len(given) > _MAXIMUM_DEVICES:
                given.popitem(last=False)
            result = {**result, "NewDeviceMetadata": {"DeviceKey": key, "DeviceGroupKey": given[key]}}
        claims = self._backend.claims(result["AccessToken"])
        if len(self._sign_ins) >= _MAXIMUM_SIGN_INS:
            self._sign_ins.popitem(last=False)
        self._sign_ins[str(claims.get("origin_jti"))] = key
        return self._with_device_key(result, sign_in.pool_id, key)

    def adopt_session(self, call: Call) -> None:
        """Where the pool gives no session with a device challenge: put the one meant into the call."""
        found = self._backend.client(call.text("ClientId"))
        if found is None or call.text("Session") or _has_session(found[1], call.text("ChallengeName")):
            return
        user = self._backend.user(found[1], call.text("ChallengeResponses", "USERNAME"))
        name = (call.text("ChallengeName"), call.text("ClientId"), call.text("ChallengeResponses", "DEVICE_KEY"))
        token = (user or {}).get("_device_session", {}).get(name)
        if token:
            call.body["Session"] = token

    def answer(self, session: Session, call: Call) -> Answer | None:
        sign_in = session.sign_in
        pool = self._backend.pool(sign_in.pool_id)
        responses = call.body["ChallengeResponses"]
        if not sign_in.device_key:
            return missing("DEVICE_KEY")
        device = _devices(sign_in.user).get(sign_in.device_key)
        if device is None or sign_in.device_key != session.data["key"]:
            return refusal(*_ABSENT)
        if session.challenge == "DEVICE_SRP_AUTH":
            return self._begin_proof(sign_in, pool, device, call)
        refused = self._backend.cognito._srp_response_format_error(responses)
        if refused:
            return Answer(refused[0], refused[2] if isinstance(refused[2], bytes) else refused[2].encode())
        if self._proofs.refusal(call) or not self._proved(device, session.data, responses):
            return session.wrong_answer(*WRONG)
        device["authenticated"] = time.time()
        sign_in.done |= {"device", "mfa"} if _replaces_mfa(pool, device) else {"device"}
        return None

    def _ask(self, sign_in: SignIn, pool: dict) -> Answer:
        return self._challenge(sign_in, pool, "DEVICE_SRP_AUTH", {}, {"key": sign_in.device_key})

    def _begin_proof(self, sign_in: SignIn, pool: dict, device: dict, call: Call) -> Answer:
        srp_a = call.text("ChallengeResponses", "SRP_A")
        if not srp_a:
            return missing("SRP_A")
        refused = self._proofs.public_value_refusal(srp_a)
        if refused:
            return refused
        cognito = self._backend.cognito
        masked_verifier = cognito._SRP_K * device["verifier"]
        big_b, small_b = self._proofs.public_value(masked_verifier, secrets.randbelow(cognito._SRP_N - 2) + 1)
        block = base64.b64encode(secrets.token_bytes(1200)).decode()
        parameters = {
            "SALT": format(device["salt"], "x"),
            "SRP_B": format(big_b, "x"),
            "SECRET_BLOCK": block,
            "DEVICE_KEY": device["key"],
            "USERNAME": sign_in.username,
        }
        data = {"key": device["key"], "A": int(srp_a, 16), "B": big_b, "b": small_b, "block": block}
        return self._challenge(sign_in, pool, "DEVICE_PASSWORD_VERIFIER", parameters, data)

    def _challenge(self, sign_in: SignIn, pool: dict, name: str, parameters: dict, data: dict) -> Answer:
        answer = self._sessions.challenge(sign_in, name, parameters, data)
        if _has_session(pool, name):
            return answer
        payload = answer.payload
        open_sessions = sign_in.user.setdefault("_device_session", {})
        if len(open_sessions) >= _MAXIMUM_DEVICES:
            open_sessions.clear()
        open_sessions[name, sign_in.client_id, sign_in.device_key] = payload.pop("Session")
        return success(payload)

    def _proved(self, device: dict, data: dict, responses: dict) -> bool:
        cognito = self._backend.cognito
        block = responses["PASSWORD_CLAIM_SECRET_BLOCK"]
        if not hmac.compare_digest(block.encode("utf-8", "surrogatepass"), data["block"].encode()):
            return False
        key = device_proof_key(cognito, data["A"], data["B"], data["b"], device["verifier"])
        if key is None:
            return False
        signed = (device["group_key"] + device["key"]).encode() + base64.b64decode(block)
        signed += cognito._srp_canonical_timestamp(responses["TIMESTAMP"]).encode()
        expected = hmac.digest(key, signed, "sha256")
        return hmac.compare_digest(expected, base64.b64decode(responses["PASSWORD_CLAIM_SIGNATURE"]))

    # Operations and refreshing

    def before(self, call: Call) -> Answer | None:
        if call.operation in _OPERATIONS:
            owner = self._backend.owner(call)
            return owner if isinstance(owner, Answer) else self._operate(call, *owner)
        family = call.notes.get("family")
        return self.refresh_refusal(family, _given_key(call)) if family is not None else None

    def after(self, call: Call, answer: Answer) -> Answer:
        family = call.notes.get("family")
        key = self._sign_ins.get(family.origin) if family is not None else None
        if key is None or answer.result is None:
            return answer
        return answer.with_result(self._with_device_key(answer.result, family.pool_id, key))

    def refresh_refusal(self, family: object, given: str | None = None) -> Answer | None:
        """Whether a refresh is refused for its device; `given` None asks about the right device key."""
        key = self._sign_ins.get(family.origin)
        pool = self._backend.pool(family.pool_id)
        user = pool["_users"].get(family.username) if pool else None
        if key is None or user is None or not _tracking(pool):
            return None
        known = key in _devices(user)
        return None if known and given in (None, key) else refusal(*_BAD_REFRESH)

    def described(self, user: dict) -> list[dict]:
        return [_described(d) for d in _devices(user).values()]

    def forget(self, user: dict, key: str | None) -> int:
        """Let the service forget a device (None: all) of the user; how many it were."""
        chosen = [k for k in _devices(user) if key in (None, k)]
        for one in chosen:
            del _devices(user)[one]
        return len(chosen)

    def _operate(self, call: Call, _pool_id: str, pool: dict, user: dict) -> Answer:
        if call.operation == "ListDevices":
            limit = call.body.get("Limit")
            shown = self.described(user)[: limit if isinstance(limit, int) and limit > 0 else 60]
            return success({"Devices": shown})
        key = call.text("DeviceKey")
        if call.operation == "ConfirmDevice":
            return self._confirm(call, pool, user, key)
        device = _devices(user).get(key)
        if device is None:
            return refusal(*_ABSENT)
        match call.operation:
            case "GetDevice":
                return success({"Device": _described(device)})
            case "ForgetDevice":
                self.forget(user, key)
            case "UpdateDeviceStatus":
                device["remembered"] = call.text("DeviceRememberedStatus") == "remembered"
                device["modified"] = time.time()
        return success({})

    @staticmethod
    def _confirm(call: Call, pool: dict, user: dict, key: str) -> Answer:
        if key in _devices(user):
            return refusal("DeviceKeyExistsException", "Device already exists with the given key.")
        group_key = user.get("_new_devices", {}).get(key)
        if group_key is None or not _tracking(pool):
            return refusal(*_ABSENT)
        config = call.body.get("DeviceSecretVerifierConfig")
        config = config if isinstance(config, dict) else {}
        verifier, salt = _number(config.get("PasswordVerifier")), _number(config.get("Salt"))
        if not verifier or not salt:
            return refusal("InvalidParameterException", "Invalid device secret verifier config.")
        now = time.time()
        devices = _devices(user)
        devices[key] = {
            "key": key,
            "group_key": group_key,
            "verifier": verifier,
            "salt": salt,
            "name": call.text("DeviceName"),
            "remembered": not _opt_in(pool),
            "created": now,
            "modified": now,
            "authenticated": now,
        }
        del user["_new_devices"][key]
        if len(devices) > _MAXIMUM_DEVICES:
            del devices[next(iter(devices))]
        return success({"UserConfirmationNecessary": _opt_in(pool)})

    def _with_device_key(self, result: dict, pool_id: str, key: str) -> dict:
        claims = self._backend.claims(result["AccessToken"])
        return {**result, "AccessToken": self._backend.sign({**claims, "device_key": key}, pool_id, "access")}


def device_proof_key(cognito: object, big_a: int, big_b: int, small_b: int, verifier: int) -> bytes | None:
    """The key that both sides sign with, from the server's side: S = (A * v^u)^b."""
    prime, pad = cognito._SRP_N, cognito._srp_pad
    u = cognito._srp_hash(pad(big_a), pad(big_b))
    if big_a % prime == 0 or u == 0:
        return None
    shared = cognito.pow(big_a * cognito.pow(verifier, u, prime), small_b, prime)
    extracted = hmac.digest(pad(u), pad(shared), "sha256")
    return hmac.digest(extracted, b"Caldera Derived Key\x01", "sha256")[:16]


def _has_session(pool: dict, challenge: str) -> bool:
    sessions = pool.get("_device_sessions", True)
    return challenge == "DEVICE_SRP_AUTH" if sessions == "first" else bool(sessions)


def _tracking(pool: dict) -> bool:
    return bool(pool.get("DeviceConfiguration"))


def _opt_in(pool: dict) -> bool:
    return bool(pool["DeviceConfiguration"].get("DeviceOnlyRememberedOnUserPrompt"))


def _replaces_mfa(pool: dict, device: dict) -> bool:
    return device["remembered"] and bool(pool["DeviceConfiguration"].get("ChallengeRequiredOnNewDevice"))


def _devices(user: dict) -> dict[str, dict]:
    return user.setdefault("_devices", {})


def _group_key(pool: dict) -> str:
    alphabet = string.ascii_letters + string.digits
    return pool.setdefault("_device_group_key", "-" + "".join(secrets.choice(alphabet) for _ in range(8)))


def _given_key(call: Call) -> str:
    if call.text("AuthFlow") in _REFRESH_FLOWS:
        return call.text("AuthParameters", "DEVICE_KEY")
    return call.text("DeviceKey")


def _number(text: object) -> int:
    """The natural number in base64, 0 where there is none."""
    try:
        raw = base64.b64decode(text, validate=True) if isinstance(text, str) else b""
    except (binascii.Error, ValueError):
        return 0
    return int.from_bytes(raw, "big") if len(raw) <= _LONGEST_VERIFIER else 0


def _described(device: dict) -> dict:
    attributes = {
        "device_name": device["name"],
        "device_status": "valid",
        "dev:device_remembered_status": "remembered" if device["remembered"] else "not_remembered",
    }
    return {
        "DeviceKey": device["key"],
        "DeviceAttributes": [{"Name": k, "Value": v} for k, v in attributes.items()],
        "DeviceCreateDate": device["created"],
        "DeviceLastModifiedDate": device["modified"],
        "DeviceLastAuthenticatedDate": device["authenticated"],
    }
