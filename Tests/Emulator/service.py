"""The emulator as a whole: one HTTP exchange from request to answer, and the operations of the control channel."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import copy
import inspect
import json
import uuid
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl

from . import issuers
from .answers import Answer, Call, refusal
from .aws import AWS, IDENTITY_TARGET, IdentityPool, Role
from .backend import Backend
from .behaviours import Behaviour, pre_authentication
from .behaviours.attributes import Attributes
from .behaviours.challenges import Challenges
from .behaviours.choice_auth import ChoiceAuth
from .behaviours.client_secret import ClientSecret
from .behaviours.client_settings import ClientSettings
from .behaviours.custom_auth import CustomAuth
from .behaviours.devices import Devices
from .behaviours.directory import Directory
from .behaviours.iam import IAM, Identity
from .behaviours.issuers import Issuers
from .behaviours.levels import Levels
from .behaviours.lockout import Lockout
from .behaviours.mfa_choice import MFAChoice
from .behaviours.new_password import NewPassword
from .behaviours.one_time_codes import OneTimeCodes
from .behaviours.password_recovery import PasswordRecovery
from .behaviours.proofs import Proofs
from .behaviours.refresh_tokens import RefreshTokens
from .behaviours.revocation_time import RevocationTime
from .behaviours.session_tracking import SessionTracking
from .behaviours.software_token import SoftwareToken
from .behaviours.wording import Wording
from .browser import Browser
from .certificates import TLSSettings
from .faults import Fault, FaultBoard, substitute
from .foreign_provider import ForeignProvider, ForeignUser
from .forgery import forge
from .front import ADDRESS, ConnectionFault, Delivery, Front, Request
from .managed_login import ManagedLogin
from .model_check import TARGET_PREFIX, Finding, ServiceModel, header_findings
from .outbox import Outbox, Switches
from .passwords import Passwords
from .secret_ledger import SecretLedger
from .sign_in import Sessions
from .traffic_log import ConnectionRecord, RequestRecord, TrafficLog

Runner = Callable[[Call], Awaitable[Answer]]

_KEY_SET_SUFFIX = "/.well-known/jwks.json"
_DISCOVERY_SUFFIX = "/.well-known/openid-configuration"
_MANNERS = {
    "hang": "hang",
    "close": "close",
    "half_answer": "half",
    "reset": "reset",
    "trickle": "trickle",
    "huge": "huge",
}
_LONGEST_DELAY = 600.0
_UNUSED_PASSWORD = "Of-Nobodys-Use-0"
_MFA_METHODS = ("SOFTWARE_TOKEN_MFA", "SMS_MFA", "EMAIL_OTP")
_DEFAULT_POLICY = {
    "MinimumLength": 8,
    "RequireUppercase": True,
    "RequireLowercase": True,
    "RequireNumbers": True,
    "RequireSymbols": True,
}


class OperationRefusedError(Exception):
    """An administrative operation that the back end refused."""

    def __init__(self, operation: str, answer: Answer) -> None:
        super().__init__(f"{operation}: {answer.message}")
        self.name = answer.error_name or f"HTTP {answer.status}"
        self.text = answer.message


class CognitoEmulator:
    """Everything behind the listener and the control socket."""

    def __init__(self, directory: Path, region: str) -> None:
        self._region = region
        self._model = ServiceModel()
        self._log = TrafficLog()
        self._ledger = SecretLedger()
        self._faults = FaultBoard()
        names = ["localhost", ADDRESS, "auth.example.com"]
        for name in dict.fromkeys((region, "eu-west-1", "us-east-1")):
            names += [f"cognito-idp.{name}.amazonaws.com", f"cognito-idp-fips.{name}.amazonaws.com"]
            names += [f"cognito-identity.{name}.amazonaws.com", f"sts.{name}.amazonaws.com"]
            names.append(f"issuer-cognito-idp.{name}.amazonaws.com")
        self.tls = TLSSettings(directory, names)
        self._backend = Backend(directory / "private" / "state", region)
        self._lockout = Lockout(self._backend)
        self._refresh_tokens = RefreshTokens(self._backend)
        self._sessions = Sessions(self._backend)
        self._switches = Switches()
        self._proofs = Proofs(self._backend, self._switches)
        self._challenges = Challenges(self._backend, self._sessions, self._proofs)
        self._passwords = Passwords(self._backend)
        self._attributes = Attributes(self._backend)
        self._outbox = Outbox(self._ledger.note, self._switches)
        self._session_tracking = SessionTracking(self._backend, self._refresh_tokens, self._switches)
        self._add_challenges()
        self._iam = IAM(self._model)
        self._directory = Directory(self._backend, self._switches)
        self._aws = AWS(self._backend, self._refresh_tokens)
        self._behaviours: list[Behaviour] = [
            self._iam,
            Wording(),
            Issuers(self._backend),
            self._directory,
            self._lockout,
            ClientSecret(self._backend),
            self._attributes,
            ClientSettings(self._backend),
            RevocationTime(self._backend, self._switches),
            self._session_tracking,
            self._refresh_tokens,
            self._challenges,
            PasswordRecovery(self._backend, self._passwords, self._outbox, self._switches),
        ]
        self.front = Front(self._exchange, partial(self._connection_fault, "connection"), self.tls, self._log)
        self._provider = ForeignProvider()
        self._managed_login = ManagedLogin(
            self._backend, self._refresh_tokens, self._provider, self._run, self._ledger.note
        )
        self._managed_login_front = Front(
            self._exchange_managed_login, partial(self._connection_fault, "oauth2/connection"), self.tls, self._log
        )
        # What browsers say to somebody else is no traffic of Cognito's.
        self._provider_log = TrafficLog()
        self._provider_front = Front(self._exchange_provider, ConnectionFault, self.tls, self._provider_log)

    def open(self, port: int) -> None:
        """Listen on `port` for Cognito, and on any free ones for managed login and the foreign provider."""
        self.front.open(port)
        for server, front in ((self._managed_login, self._managed_login_front), (self._provider, self._provider_front)):
            front.open(front.port)
            server.origin = f"https://{ADDRESS}:{front.port}"

    @property
    def managed_login_domain(self) -> str:
        return self._managed_login.origin.removeprefix("https://")

    def _add_challenges(self) -> None:
        """The challenges, and in which order a sign-in asks for them after the first factor."""
        new_password = NewPassword(self._backend, self._sessions, self._passwords, self._attributes)
        codes = OneTimeCodes(self._backend, self._sessions, self._outbox)
        app = SoftwareToken(self._backend, self._sessions, self._switches)
        mfa = MFAChoice(self._backend, self._sessions, codes, app, self._attributes)
        levels = Levels(self._backend, self._passwords, codes, app)
        choice = ChoiceAuth(self._backend, self._sessions, self._passwords, codes, self._proofs, levels)
        self._custom = CustomAuth(self._backend, self._sessions, choice)
        self._devices = devices = Devices(self._backend, self._sessions, self._proofs)
        for challenge in (new_password, codes, app, mfa, choice, self._custom, devices):
            self._challenges.add(challenge)
        self._challenges.steps = [
            self._custom.step,
            new_password.step,
            devices.step_before_mfa,
            levels.step,
            mfa.step,
            devices.step_after_mfa,
        ]
        self._challenges.finishers = [devices.finish, levels.finish]
        self._challenges.adopters = [devices.adopt_session]
        self._challenges.flows = {"USER_AUTH": choice.begin, "CUSTOM_AUTH": self._custom.begin}
        self._challenges.gates = [pre_authentication.gate]

    # HTTP

    async def _exchange(self, connection: ConnectionRecord, request: Request) -> Delivery:
        headers = _joined_headers(request.headers)
        path = request.target.partition("?")[0]
        service = self._aws.service(request.method, headers)
        if service == "sts":
            body, problem = self._aws.form(request.body), None
        else:
            body, problem = _parsed(request.body) if request.method == "POST" else ({}, None)
        call = Call(
            str(body.get("Action")) if service == "sts" else _operation(request.method, path, headers),
            body if isinstance(body, dict) else {},
            request.headers,
            request.method,
            path,
            raw=request.body,
        )
        record = self._log.request(
            connection, request.method, path, call.operation, headers, copy.deepcopy(body), len(request.body)
        )
        record.detail = call.text("AuthFlow") or call.text("ChallengeName") or None
        self._ledger.collect(body)
        if service is None:
            refused = self._check(call, headers, problem, record)
        else:
            refused = self._answer_of_aws(call, service, headers, record)
        faults = self._faults.take(call.selectors | {"*"})
        record.faults = [f.kind for f in faults]
        delivery = await self._answer(call, refused, faults, record, self._run)
        self._note_answer(call, delivery)
        return delivery

    async def _exchange_managed_login(self, connection: ConnectionRecord, request: Request) -> Delivery:
        headers = _joined_headers(request.headers)
        call = self._managed_login.call(request)
        record = self._log.request(
            connection, request.method, call.path, call.operation, headers, dict(call.body), len(request.target)
        )
        for finding in self._managed_login.findings(call, headers):
            self._log.violation(finding, record)
        faults = self._faults.take(call.selectors | {"*"})
        record.faults = [f.kind for f in faults]
        delivery = await self._answer(call, None, faults, record, self._managed_login.run)
        self._note_answer(call, delivery)
        delivery.answer = self._managed_login.wire(delivery.answer)
        record.error = record.error or delivery.answer.payload.get("error")
        return delivery

    async def _exchange_provider(self, connection: ConnectionRecord, request: Request) -> Delivery:
        path, _, query = request.target.partition("?")
        record = self._provider_log.request(
            connection, request.method, path, path, _joined_headers(request.headers), dict(parse_qsl(query)), len(query)
        )
        answer = self._provider.answer(request)
        record.status = answer.status
        return Delivery(answer, record)

    def _note_answer(self, call: Call, delivery: Delivery) -> None:
        answer, record = delivery.answer, delivery.record
        if "exception" in call.notes:
            self._log.violation(f"the emulator failed: {call.notes['exception']}", record)
        self._ledger.collect(answer.payload)
        answer.headers = [("x-amzn-RequestId", str(uuid.uuid4())), *answer.headers]
        record.status, record.error, record.message = answer.status, answer.error_name, answer.message or None

    async def _answer(
        self, call: Call, refused: Answer | None, faults: list[Fault], record: RequestRecord, run: Runner
    ) -> Delivery:
        for delay in (f for f in faults if f.kind == "delay"):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(delay.lifted.wait(), min(float(delay.arguments["seconds"]), _LONGEST_DELAY))
        final = next((f for f in faults if f.kind != "delay" and not f.is_forgery), None)
        answer: Answer | None = refused
        if answer is None and (final is None or final.arguments.get("processed")):
            answer = await run(call)
            for forgery in (f for f in faults if f.is_forgery):
                self._ledger.collect(answer.payload)
                answer = forge(forgery.kind, forgery.arguments, answer, self._backend, self._refresh_tokens)
        if final is None:
            return Delivery(answer or Answer(200, b"{}"), record)
        return Delivery(substitute(final, answer), record, _MANNERS.get(final.kind, "whole"), final.arguments)

    def _check(self, call: Call, headers: dict[str, str], problem: str | None, record: RequestRecord) -> Answer | None:
        """Note what is wrong with a request; the answer if the service would refuse it for that."""
        if call.operation in ("jwks", "issuer_jwks", "discovery"):
            if not headers.get("user-agent", "").strip():
                self._log.violation("no User-Agent", record)
            return None
        found = header_findings(self._model, call.method, call.path, headers)
        known = self._model.knows(call.operation)
        if known and problem is None:
            found += self._model.findings(call.operation, call.body)
        elif problem is not None:
            found.append(Finding("type", problem))
        for finding in found:
            self._log.violation(finding, record)
        if call.method != "POST" or not known:
            return refusal("UnknownOperationException", "")
        if any(f.kind == "type" for f in found):
            return refusal("SerializationException", "")
        constraints = [f for f in found if f.kind == "constraint"]
        if constraints:
            count = f"{len(constraints)} validation error{'s' if len(constraints) > 1 else ''} detected"
            return refusal("InvalidParameterException", f"{count}: {'; '.join(constraints)}"[:2000])
        return None

    def _answer_of_aws(self, call: Call, service: str, headers: dict[str, str], record: RequestRecord) -> Answer:
        """What an identity pool or STS says, whatever becomes of it on its way."""
        findings = self._aws.findings(call, service, headers)
        for finding in findings:
            self._log.violation(finding, record)
        self._backend.enter_scope(call.region)
        answer = self._aws.run(call, service, findings)
        for secret in self._aws.secrets(answer):
            self._ledger.note("key", secret)
        return answer

    async def _run(self, call: Call) -> Answer:
        """The call through the behaviours and, unless one answers it, the back end."""
        self._backend.enter_scope(call.region)
        passed: list[Behaviour] = []
        answer: Answer | None = None
        try:
            for behaviour in self._behaviours:
                answer = behaviour.before(call)
                if answer is not None:
                    break
                passed.append(behaviour)
            if answer is None:
                answer = await self._backend.run(call)
            for behaviour in reversed(passed):
                answer = behaviour.after(call, answer)
        except Exception as error:
            call.notes["exception"] = f"{type(error).__name__}: {error}"
            return refusal("InternalErrorException", "Something went wrong", 500)
        return answer

    def _connection_fault(self, selector: str) -> ConnectionFault:
        fault = ConnectionFault()
        for taken in self._faults.take({selector}):
            if taken.kind == "delay":
                fault.seconds += float(taken.arguments["seconds"])
            else:
                fault.manner = taken.kind
        return fault

    # Control channel: the parameters of a method are the operation's arguments.

    def operations(self) -> dict[str, Callable[..., object]]:
        """Every method op_NAME is an operation, and what the parts do by themselves."""
        own = {
            name.removeprefix("op_"): method
            for name, method in inspect.getmembers(self, inspect.iscoroutinefunction)
            if name.startswith("op_")
        }
        return own | {
            "requests": self._log.requests,
            "connections": self._log.connections,
            "clear_requests": self._log.clear,
            "violations": self._log.violations,
            "clear_violations": self._log.clear_violations,
            "provider_requests": self._provider_log.requests,
            "secrets": self._ledger.entries,
            "note_secret": self._ledger.note,
            "fault": self._faults.add,
            "faults": self._faults.state,
            "lift": self._faults.lift,
            "tls": self.tls.limit,
            "lockout": self._lockout.switch,
            "lockout_state": self._lockout.state,
            "switch": self._switches.set,
            "expire_codes": self._outbox.expire,
            "expire_challenge_sessions": self._sessions.expire,
            "expire_authorization_codes": self._managed_login.expire,
            "living": self._refresh_tokens.living,
        }

    async def op_admin(self, operation: str, parameters: dict, region: str | None = None) -> dict:
        """Any cognito-idp operation with an administrator's rights, outside the request log."""
        if not self._model.knows(operation):
            raise ValueError(f"{operation!r} is no operation of cognito-idp")
        findings = self._model.findings(operation, parameters)
        if findings:
            raise ValueError("; ".join(findings))
        self._ledger.collect(parameters)
        call = Call(operation, copy.deepcopy(parameters), region=region, internal=True)
        answer = await self._run(call)
        self._ledger.collect(answer.payload)
        if "exception" in call.notes:
            raise RuntimeError(call.notes["exception"])
        if answer.status != 200:
            raise OperationRefusedError(operation, answer)
        return answer.payload

    async def op_iam_identity(
        self,
        access_key_id: str,
        secret_access_key: str,
        session_token: str | None = None,
        actions: tuple[str, ...] = (),
        expired: bool = False,
    ) -> None:
        """Keys with which signed operations may be called, as far as `actions` goes."""
        self._ledger.note("key", secret_access_key)
        self._ledger.note("key", session_token)
        self._iam.identities[access_key_id] = Identity(secret_access_key, session_token, list(actions), expired)

    async def op_identity_pool(
        self, pool: str, client: str, role: str, server_side_token_check: bool = False, life: int = 3600
    ) -> str:
        """An identity pool that takes ID tokens of that user pool for that app client; its id."""
        name = f"{self._region}:{uuid.uuid4()}"
        self._aws.identity_pools[name] = IdentityPool(pool, client, role, server_side_token_check, life)
        return name

    async def op_role(self, arn: str, pool: str, client: str, longest: int = 3600) -> None:
        """A role that STS lets people of that user pool assume."""
        self._aws.roles[arn] = Role(pool, client, longest)

    async def op_pool(
        self,
        name: str = "test",
        region: str | None = None,
        groups: tuple[str, ...] = (),
        username_attributes: tuple[str, ...] = (),
        alias_attributes: tuple[str, ...] = (),
        password_policy: dict | None = None,
        password_history: int = 0,
        required_attributes: tuple[str, ...] = (),
        mfa: str = "OFF",
        mfa_methods: tuple[str, ...] = _MFA_METHODS,
        first_factors: tuple[str, ...] = (),
        custom_rounds: tuple[dict, ...] = (),
        custom_attempts: int = 1,
        devices: str = "off",
        device_sessions: bool | str = True,
        session_limit: int | None = None,
        levels: str = "on",
        acr_names: dict | None = None,
        parameters: dict | None = None,
        **client: object,
    ) -> dict:
        """A user pool with one app client; `client` are the options of op_app_client."""
        wanted: dict = {"PoolName": name}
        if username_attributes:
            wanted["UsernameAttributes"] = list(username_attributes)
        if alias_attributes:
            wanted["AliasAttributes"] = list(alias_attributes)
        policy = dict(password_policy or {})
        if password_history:
            policy = {**(policy or _DEFAULT_POLICY), "PasswordHistorySize": password_history}
        if policy:
            wanted["Policies"] = {"PasswordPolicy": policy}
        if first_factors:
            wanted.setdefault("Policies", {})["SignInPolicy"] = {"AllowedFirstAuthFactors": list(first_factors)}
        if levels not in ("on", "ignored"):
            raise ValueError(f"levels {levels!r}: not one of on, ignored")
        if devices not in ("off", "opt_in", "always"):
            raise ValueError(f"devices {devices!r}: not one of off, opt_in, always")
        if device_sessions not in (True, False, "first"):
            raise ValueError(f"device_sessions {device_sessions!r}: not one of true, false, first")
        if devices != "off":
            wanted["DeviceConfiguration"] = {
                "ChallengeRequiredOnNewDevice": True,
                "DeviceOnlyRememberedOnUserPrompt": devices == "opt_in",
            }
        if required_attributes:
            described = {"AttributeDataType": "String", "Required": True, "Mutable": True}
            wanted["Schema"] = [{"Name": name, **described} for name in required_attributes]
        created = await self.op_admin("CreateUserPool", {**wanted, **(parameters or {})}, region or self._region)
        pool_id = created["UserPool"]["Id"]
        self._backend.pool(pool_id)["_device_sessions"] = device_sessions
        self._backend.pool(pool_id).update({"_levels": levels, "_acr_names": acr_names})
        self._session_tracking.track(self._backend.pool(pool_id), session_limit)
        for use in ("access", "id"):
            await asyncio.to_thread(self._backend.signing_key, pool_id, use)
        for group in groups:
            await self.op_admin("CreateGroup", {"UserPoolId": pool_id, "GroupName": group})
        if custom_rounds:
            self._custom.set_script(pool_id, list(custom_rounds), custom_attempts)
        if mfa != "OFF":
            await self.op_admin("SetUserPoolMfaConfig", _mfa_configuration(pool_id, mfa, mfa_methods))
        return {
            "pool_id": pool_id,
            "region": pool_id.split("_")[0],
            "issuer": self._backend.issuer(pool_id),
            "jwks_path": f"/{pool_id}{_KEY_SET_SUFFIX}",
            **await self.op_app_client(pool_id, **client),
        }

    async def op_app_client(
        self,
        pool: str,
        generate_secret: bool = False,
        auth_flows: tuple[str, ...] = ("ALLOW_USER_SRP_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"),
        access_token_seconds: int = 3600,
        id_token_seconds: int = 3600,
        refresh_token_seconds: int = 30 * 86400,
        prevent_user_existence_errors: bool = True,
        rotation: bool = False,
        rotation_grace_seconds: int = 0,
        auth_session_seconds: float | None = None,
        client_parameters: dict | None = None,
    ) -> dict:
        """An app client; lifetimes may be shorter than the service's own minimum."""
        flows = [f for f in auth_flows if not (rotation and f == "ALLOW_REFRESH_TOKEN_AUTH")]
        wanted: dict = {
            "UserPoolId": pool,
            "ClientName": "test",
            "GenerateSecret": generate_secret,
            "ExplicitAuthFlows": flows,
            "AccessTokenValidity": access_token_seconds,
            "IdTokenValidity": id_token_seconds,
            "RefreshTokenValidity": refresh_token_seconds,
            "TokenValidityUnits": {"AccessToken": "seconds", "IdToken": "seconds", "RefreshToken": "seconds"},
            "PreventUserExistenceErrors": "ENABLED" if prevent_user_existence_errors else "LEGACY",
        }
        if rotation:
            wanted["RefreshTokenRotation"] = {"Feature": "ENABLED", "RetryGracePeriodSeconds": rotation_grace_seconds}
        created = await self.op_admin("CreateUserPoolClient", {**wanted, **(client_parameters or {})})
        client = created["UserPoolClient"]
        self._sessions.set_lifetime(client["ClientId"], auth_session_seconds)
        return {"client_id": client["ClientId"], "client_secret": client.get("ClientSecret")}

    async def op_rotate_client_secret(self, client: str, secret: str) -> None:
        self._backend.client(client)[2]["ClientSecret"] = secret

    async def op_user(
        self,
        pool: str,
        name: str,
        password: str | None,
        groups: tuple[str, ...] = (),
        email: str | None = None,
        email_verified: bool = True,
        attributes: dict | None = None,
        enabled: bool = True,
        status: str = "CONFIRMED",
        phone_number: str | None = None,
        mfa: tuple[str, ...] = (),
        preferred_mfa: str = "",
        totp_secret: str | None = None,
        passkey: bool = False,
        passkey_first: bool = False,
        lambda_refusal: str | None = None,
        temporary_password_expired: bool = False,
    ) -> dict:
        """A user in the state named; `username` in the result is the canonical one. No password: passwordless."""
        passwordless, password = password is None, password or _UNUSED_PASSWORD
        _check_mfa(mfa, preferred_mfa, totp_secret)
        if status not in ("CONFIRMED", "FORCE_CHANGE_PASSWORD", "RESET_REQUIRED", "UNCONFIRMED"):
            raise ValueError(f"status {status!r} cannot be made")
        described = dict(attributes or {})
        if email is not None:
            described |= {"email": email, "email_verified": "true" if email_verified else "false"}
        if phone_number is not None:
            described |= {"phone_number": phone_number, "phone_number_verified": "true"}
        created = await self.op_admin(
            "AdminCreateUser",
            {
                "UserPoolId": pool,
                "Username": name,
                "TemporaryPassword": password,
                "MessageAction": "SUPPRESS",
                "UserAttributes": [{"Name": k, "Value": v} for k, v in described.items()],
            },
        )
        target = {"UserPoolId": pool, "Username": created["User"]["Username"]}
        await self.op_admin(
            "AdminSetUserPassword", {**target, "Password": password, "Permanent": status != "FORCE_CHANGE_PASSWORD"}
        )
        for group in groups:
            await self.op_admin("AdminAddUserToGroup", {**target, "GroupName": group})
        if status == "RESET_REQUIRED":
            await self.op_admin("AdminResetUserPassword", target)
        elif status == "UNCONFIRMED":
            self._user(pool, target["Username"])["UserStatus"] = status
        if not enabled:
            await self.op_admin("AdminDisableUser", target)
        user = self._user(pool, target["Username"])
        if passwordless:
            self._passwords.remove(user)
        user |= {"_passkey": passkey or passkey_first, "_passkey_first": passkey_first}
        user["_lambda_refusal"] = lambda_refusal
        user["_temporary_expired"] = temporary_password_expired
        user |= {"_mfa_enabled": list(mfa), "_preferred_mfa": preferred_mfa, "_totp_secret": totp_secret}
        self._ledger.note("totp_secret", totp_secret)
        sub = next(a["Value"] for a in created["User"]["Attributes"] if a["Name"] == "sub")
        return {"username": target["Username"], "sub": sub}

    async def op_federate(
        self,
        pool: str,
        client: str,
        provider: str,
        redirect_uris: list[str],
        scopes: list[str],
        attribute_mapping: dict[str, str],
    ) -> None:
        """An identity provider of type OIDC for the pool, behind which the foreign provider is, and for the client."""
        client_id, secret = self._provider.register(self._managed_login.callback)
        self._ledger.note("client_secret", secret)
        found = self._backend.client(client)
        if found is None or found[0] != pool:
            raise ValueError(f"no app client {client!r} in pool {pool!r}")
        details = {
            "client_id": client_id,
            "client_secret": secret,
            "authorize_scopes": "openid email profile",
            "attributes_request_method": "GET",
            "oidc_issuer": self._provider.origin,
            "authorize_url": f"{self._provider.origin}/authorize",
            "token_url": f"{self._provider.origin}/token",
        }
        made = {"UserPoolId": pool, "ProviderName": provider, "ProviderType": "OIDC"}
        await self.op_admin(
            "CreateIdentityProvider", {**made, "ProviderDetails": details, "AttributeMapping": attribute_mapping}
        )
        await self.op_admin(
            "UpdateUserPoolClient",
            {
                "UserPoolId": pool,
                "ClientId": client,
                "SupportedIdentityProviders": [*(found[2].get("SupportedIdentityProviders") or []), provider],
                "CallbackURLs": redirect_uris,
                "AllowedOAuthFlows": ["code"],
                "AllowedOAuthScopes": scopes,
                "AllowedOAuthFlowsUserPoolClient": True,
            },
        )

    async def op_foreign_user(self, name: str, password: str, claims: dict) -> None:
        """A user of the foreign provider, or another password and other claims for one; `sub` is the name."""
        self._ledger.note("password", password)
        self._provider.users[name] = ForeignUser(password, claims)

    async def op_federated_user(
        self, pool: str, provider: str, foreign: str, groups: tuple[str, ...] = (), attributes: dict | None = None
    ) -> dict:
        """The user of that provider as if she had signed in once, in those groups of the pool's, too."""
        self._backend.enter_scope(None)
        name = self._backend.federated_user(pool, provider, foreign, dict(attributes or {}))
        for group in groups:
            await self.op_admin("AdminAddUserToGroup", {"UserPoolId": pool, "Username": name, "GroupName": group})
        return {"username": name, "sub": self._backend.attributes(self._user(pool, name))["sub"]}

    async def op_link(self, pool: str, user: str, provider: str, foreign: str) -> None:
        """Let what the provider calls `foreign` sign in as a user that the pool has."""
        destination = {"ProviderName": "Cognito", "ProviderAttributeValue": self._user(pool, user)["Username"]}
        source = {"ProviderName": provider, "ProviderAttributeName": "Cognito_Subject"}
        await self.op_admin(
            "AdminLinkProviderForUser",
            {
                "UserPoolId": pool,
                "DestinationUser": destination,
                "SourceUser": {**source, "ProviderAttributeValue": foreign},
            },
        )

    async def op_browse(self, address: str, name: str, password: str) -> str:
        """A browser plays the user: where it ends."""
        return await asyncio.to_thread(Browser(str(self.tls.ca_path)).sign_in, address, name, password)

    async def op_browse_and_deny(self, address: str) -> str:
        return await asyncio.to_thread(Browser(str(self.tls.ca_path)).deny, address)

    async def op_people(
        self, pool: str, count: int, group: str, prefix: str = "person", attributes: dict | None = None
    ) -> None:
        found = self._backend.pool(pool)
        if found is None or group not in found["_groups"]:
            raise ValueError(f"no group {group!r} in a pool {pool!r}")
        self._directory.add(found, count, group, prefix, dict(attributes or {}))

    async def op_clear_faults(self) -> None:
        self._faults.clear()
        self.front.release_hangs()
        self._managed_login_front.release_hangs()

    async def op_down(self, drop: bool = True) -> None:
        await self.front.close(drop)
        await self._managed_login_front.close(drop)

    async def op_up(self) -> None:
        self.open(self.front.port)

    async def op_certificate(self, kind: str) -> dict:
        self.tls.show(kind)
        return {"pin": self.tls.pin}

    async def op_tokens_alive(self, access: str | None = None, refresh: str | None = None) -> dict:
        """Whether the service would take these tokens now; neither logged nor with an effect on them."""
        alive: dict = {}
        if access is not None:
            answer = await self._run(Call("GetUser", {"AccessToken": access}, internal=True))
            alive |= {"access": answer.status == 200, "access_refusal": answer.message or None}
        if refresh is not None:
            family = self._refresh_tokens.family(refresh)
            refused = self._devices.refresh_refusal(family) if family else None
            refused = refused or self._refresh_tokens.refusal_for(refresh)
            alive |= {"refresh": refused is None, "refresh_refusal": refused.message if refused else None}
        return alive

    async def op_sessions(self, pool: str, user: str) -> list[dict]:
        return self._refresh_tokens.sessions(pool, self._user(pool, user)["Username"])

    async def op_devices(self, pool: str, user: str) -> list[dict]:
        return self._devices.described(self._user(pool, user))

    async def op_forget_devices(self, pool: str, user: str, key: str | None = None) -> int:
        return self._devices.forget(self._user(pool, user), key)

    async def op_codes(self, user: str | None = None, pool: str | None = None) -> list[dict]:
        if user is not None and pool is not None:
            user = self._user(pool, user)["Username"]
        return self._outbox.messages(user, pool)

    async def op_expire_refresh_tokens(self, pool: str, user: str | None = None) -> int:
        return self._refresh_tokens.expire(pool, self._user(pool, user)["Username"] if user else None)

    async def op_issuer_type(self, pool: str, kind: str) -> str:
        """Another type of issuer from now on, as UpdateUserPool sets it; the `iss` of the tokens to come."""
        found = self._backend.pool(pool)
        if found is None or kind not in issuers.TYPES:
            raise ValueError(f"no pool {pool!r}, or no type {kind!r}")
        found["_issuer_type"] = kind
        return self._backend.issuer(pool)

    async def op_rotate_keys(self, pool: str) -> None:
        """New signing keys for the pool at once; access tokens of the old ones are refused from now on."""
        if self._backend.pool(pool) is None:
            raise ValueError(f"no pool {pool!r}")
        self._backend.cognito._drop_pool_keys(pool)
        for use in ("access", "id"):
            await asyncio.to_thread(self._backend.signing_key, pool, use)
        self._refresh_tokens.resign(pool)

    async def op_reset(self) -> None:
        """Between two tests: no faults, empty logs, listening with the good certificate. Pools and users stay."""
        await self.op_clear_faults()
        self._log.clear()
        self._log.clear_violations()
        self.tls.reset()
        self._outbox.clear()
        self._switches.reset()
        for behaviour in self._behaviours:
            behaviour.reset()
        self._provider_log.clear()
        self.open(self.front.port)

    def _user(self, pool_id: str, name: str) -> dict:
        pool = self._backend.pool(pool_id)
        user = self._backend.user(pool, name) if pool else None
        if user is None:
            raise ValueError(f"no user {name!r} in pool {pool_id!r}")
        return user


def _mfa_configuration(pool_id: str, setting: str, methods: tuple[str, ...]) -> dict:
    """SetUserPoolMfaConfig's parameters."""
    unknown = set(methods) - set(_MFA_METHODS)
    if unknown:
        raise ValueError(f"mfa_methods {', '.join(sorted(unknown))}: there are {', '.join(_MFA_METHODS)}")
    wanted: dict = {"UserPoolId": pool_id, "MfaConfiguration": setting}
    if "SOFTWARE_TOKEN_MFA" in methods:
        wanted["SoftwareTokenMfaConfiguration"] = {"Enabled": True}
    if "SMS_MFA" in methods:
        role = {"SnsCallerArn": "arn:aws:iam::123456789012:role/sms"}
        wanted["SmsMfaConfiguration"] = {"SmsConfiguration": role}
    if "EMAIL_OTP" in methods:
        wanted["EmailMfaConfiguration"] = {}
    return wanted


def _check_mfa(methods: tuple[str, ...], preferred: str, totp_secret: str | None) -> None:
    unknown = {*methods, *([preferred] if preferred else [])} - set(_MFA_METHODS)
    if unknown:
        raise ValueError(f"mfa {', '.join(sorted(unknown))}: there are {', '.join(_MFA_METHODS)}")
    if "SOFTWARE_TOKEN_MFA" in methods and not totp_secret:
        raise ValueError("SOFTWARE_TOKEN_MFA needs a totp_secret (base32)")
    if totp_secret is not None:
        base64.b32decode(totp_secret + "=" * (-len(totp_secret) % 8))


def _operation(method: str, path: str, headers: dict[str, str]) -> str:
    if method == "GET" and path.endswith(_KEY_SET_SUFFIX):
        return "issuer_jwks" if issuers.host(headers.get("host", ""))[0] else "jwks"
    if method == "GET" and path.endswith(_DISCOVERY_SUFFIX):
        return "discovery"
    target = headers.get("x-amz-target", "").removeprefix(IDENTITY_TARGET).removeprefix(TARGET_PREFIX)
    return target[:100] or "(none)"


def _joined_headers(headers: list[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        joined[key] = f"{joined[key]}, {value}" if key in joined else value
    return joined


def _parsed(body: bytes) -> tuple[object, str | None]:
    """The JSON document and, if it is none that the service would read, what is wrong with it."""

    def unique(pairs: list[tuple[str, object]]) -> dict:
        names = [name for name, _ in pairs]
        if len(set(names)) != len(names):
            raise ValueError("a member occurs twice")
        return dict(pairs)

    try:
        document = json.loads(body.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        return f"(unreadable: {body[:200]!r})", f"the body is not JSON: {error}"
    if not isinstance(document, dict):
        return document, "the body is not a JSON object"
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return document, "the body has half a surrogate pair"
    return document, None
