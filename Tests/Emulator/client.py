"""Drives a running emulator from a test, and starts one. Needs the standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from . import app_codes

_LONGEST_SOCKET_PATH = 100


class EmulatorError(Exception):
    """An operation failed; `name` is the service's error name (UsernameExistsException...) or a Python one."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(f"{name}: {message}")
        self.name = name


class EmulatorClient:
    """The control channel of the emulator that runs in `directory`."""

    def __init__(self, directory: str | os.PathLike[str], timeout: float = 30.0) -> None:
        self.directory = Path(directory)
        ready = json.loads((self.directory / "ready.json").read_text())
        self.endpoint: str = ready["endpoint"]
        self.port: int = ready["port"]
        # Of every pool: 127.0.0.1:PORT. "localhost" and "auth.example.com" are in its certificate, too.
        self.managed_login_domain: str = ready["managed_login_domain"]
        self.region: str = ready["region"]
        # The system's certificates and the emulator's authority, and that alone.
        self.ca: str = ready["ca"]
        self.authority: str = ready["authority"]
        self.pin: str = ready["pin"]
        self.pid: int = ready["pid"]
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        with socket_address(self.directory / "control.sock") as address:
            self._socket.connect(address)
        self._lines = self._socket.makefile("rb")

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def __enter__(self) -> EmulatorClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, operation: str, /, **arguments: object) -> Any:
        """One operation of the control channel by its name."""
        self._socket.sendall(json.dumps({"op": operation, "arguments": arguments}).encode() + b"\n")
        line = self._lines.readline()
        if not line:
            raise EmulatorError("ConnectionError", "the emulator has ended")
        reply = json.loads(line)
        if not reply["ok"]:
            raise EmulatorError(reply["error"]["name"], reply["error"]["message"])
        return reply["result"]

    # Pools and users

    def pool(self, name: str = "test", *, groups: Sequence[str] = (), **options: object) -> dict:
        """A new pool with an app client: pool_id, client_id, client_secret, region, issuer, jwks_path.

        Options of the pool: region, username_attributes, alias_attributes, password_policy, password_history (how many
        old passwords are refused), required_attributes, mfa (OFF, OPTIONAL, ON), mfa_methods (all of
        SOFTWARE_TOKEN_MFA, SMS_MFA and EMAIL_OTP), first_factors (of USER_AUTH: PASSWORD, EMAIL_OTP, SMS_OTP,
        WEB_AUTHN), custom_rounds and custom_attempts (what CUSTOM_AUTH asks: {"public": {name: text}, "answer": text},
        so often each), devices (off, opt_in, always), device_sessions (whether device challenges carry a session: True,
        False, "first"), session_limit (MaxPerUser of a pool that tracks sessions), parameters (members of
        CreateUserPool). Options of the client: see `app_client`.
        """
        return self.call("pool", name=name, groups=list(groups), **options)

    def app_client(self, pool: str, **options: object) -> dict:
        """One more app client: client_id, client_secret.

        Options: generate_secret, auth_flows, access_token_seconds, id_token_seconds,
        refresh_token_seconds, prevent_user_existence_errors, rotation, rotation_grace_seconds,
        auth_session_seconds (life of a challenge's session), client_parameters (members of CreateUserPoolClient).
        """
        return self.call("app_client", pool=pool, **options)

    def rotate_client_secret(self, client: str, secret: str) -> None:
        """Replace the app client's secret: the one before it is refused from now on."""
        self.note_secret("client_secret", secret)
        self.call("rotate_client_secret", client=client, secret=secret)

    def iam_identity(self, access_key_id: str, secret_access_key: str, **options: object) -> None:
        """Keys for signed operations: session_token, actions (those that its policy allows), expired."""
        self.call("iam_identity", access_key_id=access_key_id, secret_access_key=secret_access_key, **options)

    def identity_pool(self, pool: dict, role: str, **options: object) -> str:
        """An identity pool for that user pool: its id. Options: server_side_token_check, life (of what it gives)."""
        return self.call("identity_pool", pool=pool["pool_id"], client=pool["client_id"], role=role, **options)

    def role(self, arn: str, pool: dict, **options: object) -> None:
        """A role for that user pool's people (AssumeRoleWithWebIdentity). Option: longest (MaxSessionDuration)."""
        self.call("role", arn=arn, pool=pool["pool_id"], client=pool["client_id"], **options)

    def user(
        self,
        pool: str,
        name: str,
        password: str | None,
        *,
        groups: Sequence[str] = (),
        email: str | None = None,
        email_verified: bool = True,
        attributes: dict[str, str] | None = None,
        enabled: bool = True,
        status: str = "CONFIRMED",
        **factors: object,
    ) -> dict:
        """A new user: username (the canonical one) and sub.

        No password: a user who signs in by other factors only. Factors: phone_number, mfa (those set up, of
        SOFTWARE_TOKEN_MFA, SMS_MFA and EMAIL_OTP), preferred_mfa, totp_secret (base32), passkey (WEB_AUTHN is offered,
        and never accepted), passkey_first (it is asked for at once), temporary_password_expired (with status
        FORCE_CHANGE_PASSWORD), lambda_refusal (with which text the pool's trigger refuses the user).
        """
        app_codes.forget(factors.get("totp_secret"))
        return self.call(
            "user",
            pool=pool,
            name=name,
            password=password,
            groups=list(groups),
            email=email,
            email_verified=email_verified,
            attributes=attributes,
            enabled=enabled,
            status=status,
            **factors,
        )

    def federate(
        self,
        pool: dict,
        provider: str = "Example",
        *,
        redirect_uris: Sequence[str] = ("https://redirect.example.com/done",),
        scopes: Sequence[str] = ("openid", "email", "aws.cognito.signin.user.admin"),
        attribute_mapping: dict[str, str] | None = None,
    ) -> None:
        """An identity provider (OIDC) of that name for the pool and its app client, and the client's OAuth settings.

        `attribute_mapping`: attributes of the pool to claims of the provider; by default the address and whether it
        is verified.
        """
        mapping = {"email": "email", "email_verified": "email_verified"}
        self.call(
            "federate",
            pool=pool["pool_id"],
            client=pool["client_id"],
            provider=provider,
            redirect_uris=list(redirect_uris),
            scopes=list(scopes),
            attribute_mapping=mapping if attribute_mapping is None else attribute_mapping,
        )

    def foreign_user(self, name: str, password: str, **claims: object) -> None:
        """A user of the foreign provider, or another password and other claims for one.

        Her `sub` is the name unless a claim says otherwise; PROVIDER_sub is her name in a pool.
        """
        self.call("foreign_user", name=name, password=password, claims=claims)

    def federated_user(self, pool: str, provider: str, foreign: str, *, groups: Sequence[str] = ()) -> dict:
        """The provider's user of that `sub` as if she had signed in once: her username and sub in the pool.

        So she can be in groups of the pool's before she comes; the provider's own group she is in anyhow.
        """
        return self.call("federated_user", pool=pool, provider=provider, foreign=foreign, groups=list(groups))

    def link(self, pool: str, user: str, provider: str, foreign: str) -> None:
        """Let the provider's user of that `sub` sign in as a user whom the pool has (AdminLinkProviderForUser)."""
        self.call("link", pool=pool, user=user, provider=provider, foreign=foreign)

    def people(
        self, pool: str, count: int, group: str, prefix: str = "person", attributes: dict[str, str] | None = None
    ) -> None:
        """That many people in the group, `prefix`00000 and on, who have no password.

        `{uid}` in the values of attributes is 70000 and that number.
        """
        self.call("people", pool=pool, count=count, group=group, prefix=prefix, attributes=attributes)

    def admin(self, operation: str, parameters: dict, region: str | None = None) -> dict:
        """Any cognito-idp operation with an administrator's rights; not in the request log."""
        return self.call("admin", operation=operation, parameters=parameters, region=region)

    # What arrived

    def requests(self, operation: str | None = None) -> list[dict]:
        """The requests received, in order; `operation` keeps those of one (`jwks` for the key set, `issuer_jwks` for
        that of the updated issuer's host)."""
        log = self.call("requests")
        if log["dropped"]:
            raise EmulatorError("Overflow", f"{log['dropped']} requests have fallen out of the log")
        return [r for r in log["requests"] if operation in (None, r["operation"])]

    def connection_count(self) -> int:
        """The TCP connections accepted, with or without a request."""
        return self.call("requests")["connections"]

    def connections(self) -> list[dict]:
        """One entry per TCP connection: id, time, tls_version, cipher, resumed, handshake_error, requests, closed."""
        return self.call("connections")

    def clear_requests(self) -> None:
        self.call("clear_requests")

    def violations(self) -> list[dict]:
        """What was wrong with requests by the service model and the protocol; a sound client leaves it empty."""
        return self.call("violations")

    def clear_violations(self) -> None:
        self.call("clear_violations")

    def secrets(self, since: int = 0) -> list[dict[str, str]]:
        """Every secret seen or made so far, as {kind, value}, in order; without the first `since`."""
        return self.call("secrets", since=since)

    def note_secret(self, kind: str, value: str) -> None:
        """Add a secret that the emulator cannot see, such as a wrong password under SRP."""
        self.call("note_secret", kind=kind, value=value)

    # Trouble

    def fault(self, operation: str, kind: str, *, times: int | None = None, skip: int = 0, **arguments: object) -> int:
        """Set a fault for `operation` (see `Emulator.faults`); returns its id. times=None: until cleared."""
        return self.call("fault", operation=operation, kind=kind, times=times, skip=skip, arguments=arguments)

    def faults(self) -> list[dict]:
        """The faults set, with how often each was hit."""
        return self.call("faults")

    def lift(self, fault: int) -> None:
        """End a delay before its time, by its id: also for a request that is yet to come."""
        self.call("lift", fault=fault)

    @contextlib.contextmanager
    def held(self, operation: str) -> Iterator[None]:
        """The next request for `operation` is answered at the end of the block, and not before."""
        delay = self.fault(operation, "delay", times=1, seconds=60)
        try:
            yield
        finally:
            self.lift(delay)

    def clear_faults(self) -> None:
        self.call("clear_faults")

    def down(self, *, drop: bool = True) -> None:
        """Stop listening; `drop` cuts open connections too."""
        self.call("down", drop=drop)

    def up(self) -> None:
        """Listen again on the same port."""
        self.call("up")

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Nobody can connect until the end of the block."""
        self.down()
        try:
            yield
        finally:
            self.up()

    def certificate(self, kind: str) -> str:
        """Show another certificate to new connections; returns its public key pin."""
        return self.call("certificate", kind=kind)["pin"]

    def tls_max(self, version: str | None) -> None:
        """Speak no newer TLS than "1.0", "1.1", "1.2" or "1.3"; None for no limit."""
        self.call("tls", maximum=version)

    def lockout(self, enabled: bool = True, speed: float = 1.0) -> None:
        """Switch the lock after failed passwords; `speed` runs its clock faster."""
        self.call("lockout", enabled=enabled, speed=speed)

    def lockout_state(self) -> list[dict]:
        return self.call("lockout_state")

    # Managed login. Its requests are in `requests`, as oauth2/authorize, oauth2/idpresponse, oauth2/token,
    # oauth2/revoke and logout, at which faults can be aimed, too; oauth2/connection hits a connection before TLS.

    def browse(self, address: str, name: str, password: str) -> str:
        """A new browser opens the address, the user signs in at the foreign provider: redirect_uri?code=...&state=...

        That last address is not fetched. It all happens in the emulator's process, hence in its machine.
        """
        return self.call("browse", address=address, name=name, password=password)

    def browse_and_deny(self, address: str) -> str:
        """The same for a user who refuses there: redirect_uri?...error=access_denied."""
        return self.call("browse_and_deny", address=address)

    def provider_requests(self) -> list[dict]:
        """What the foreign provider was asked by browsers; `body` has the parameters of the query."""
        return self.call("provider_requests")["requests"]

    def expire_authorization_codes(self, *, older: float | None = None) -> int:
        """Let managed login's codes expire now, or become older by so many seconds; how many there are."""
        return self.call("expire_authorization_codes", older=older)

    # Challenges

    def codes(self, user: str | None = None, pool: str | None = None) -> list[str]:
        """The codes sent by e-mail and SMS, the newest last; without `pool`, `user` is a canonical name."""
        return [message["code"] for message in self.outbox(user, pool)]

    def outbox(self, user: str | None = None, pool: str | None = None) -> list[dict]:
        """What was sent: pool, user, purpose, medium, destination, masked, code, time, expires."""
        return self.call("codes", user=user, pool=pool)

    def devices(self, pool: str, user: str) -> list[dict]:
        """The user's confirmed devices, in the words of ListDevices."""
        return self.call("devices", pool=pool, user=user)

    def forget_devices(self, pool: str, user: str, key: str | None = None) -> int:
        """Let the service forget one or all of the user's devices; how many it were."""
        return self.call("forget_devices", pool=pool, user=user, key=key)

    def expire_codes(self, user: str | None = None) -> int:
        """Make the codes sent so far too old; their sessions stay good."""
        return self.call("expire_codes", user=user)

    def switch(self, **values: object) -> None:
        """Behaviour that is as described until asked for otherwise, and again after `reset`.

        code_seconds (life of a code, None: its normal one), refuse_totp_replay (on), limit_exceeded (password
        operations answer LimitExceededException), revocation_seconds (access tokens issued within so many seconds of
        the last sign-out everywhere are refused; 1 is how the service counts), session_list_delay (seconds after which
        a new session is listed), timestamp_seconds (by how much the TIMESTAMP of a proof may be off; None: by any),
        short_srp_values (SALT and SRP_B have zeros in front, which are not sent), list_rate (requests a second that
        ListUsersInGroup may be asked).
        """
        self.call("switch", **values)

    def expire_challenge_sessions(self, user: str | None = None, *, older: float | None = None) -> int:
        """Let what waits for an answer (from one user), sessions and proofs, expire now; how many there were.

        With `older`, they only become older by so many seconds.
        """
        return self.call("expire_challenge_sessions", user=user, older=older)

    # The service's view of tokens

    def tokens_alive(self, *, access: str | None = None, refresh: str | None = None) -> dict:
        """Would the service take these tokens now? Keys: access, access_refusal, refresh, refresh_refusal."""
        return self.call("tokens_alive", access=access, refresh=refresh)

    def sessions(self, pool: str, user: str) -> list[dict]:
        """The user's sign-ins, oldest first: origin_jti, client_id, issued, expires, refresh_tokens, alive."""
        return self.call("sessions", pool=pool, user=user)

    def living(self) -> set[str]:
        """The origins of all sign-ins, of whichever pool and user, whose tokens are good."""
        return set(self.call("living"))

    def expire_refresh_tokens(self, pool: str, user: str | None = None) -> int:
        return self.call("expire_refresh_tokens", pool=pool, user=user)

    def issuer_type(self, pool: str, kind: str) -> str:
        """Switch the pool to that type of issuer, ORIGINAL or UPDATED: the `iss` of the tokens to come."""
        return self.call("issuer_type", pool=pool, kind=kind)

    def rotate_keys(self, pool: str) -> None:
        """Give the pool new signing keys."""
        self.call("rotate_keys", pool=pool)

    def reset(self) -> None:
        """Back to an untroubled emulator with empty logs; pools, users, tokens and known secrets stay."""
        self.call("reset")


@contextlib.contextmanager
def running_emulator(
    directory: str | os.PathLike[str],
    *,
    prefix: Sequence[str] = (),
    region: str = "eu-west-1",
    python: str = sys.executable,
    deadline: float = 60.0,
) -> Iterator[EmulatorClient]:
    """An emulator for the duration of a `with` block.

    `prefix` is put in front of the command, to start it inside a name space for example; such a command has to exec
    the emulator and not merely run it, or the emulator outlives the block when the prefix is killed.
    """
    where = Path(directory)
    where.mkdir(parents=True, exist_ok=True)
    (where / "ready.json").unlink(missing_ok=True)
    tests = str(Path(__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": tests, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [*prefix, python, "-m", "Emulator", "--directory", str(where), "--region", region, "--die-with-parent"]
    with open(where / "emulator.log", "wb") as log:
        process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        _await_ready(process, where, deadline)
        with EmulatorClient(where) as client:
            yield client
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _await_ready(process: subprocess.Popen, directory: Path, deadline: float) -> None:
    end = time.monotonic() + deadline
    while not (directory / "ready.json").exists():
        if process.poll() is not None or time.monotonic() > end:
            log = (directory / "emulator.log").read_text(errors="replace")[-4000:]
            raise EmulatorError("StartError", f"the emulator did not start (status {process.poll()}): {log}")
        time.sleep(0.01)


@contextlib.contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """An address holds little more than 100 bytes; a test's directory may be deeper."""
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY)
    try:
        yield str(path) if len(str(path)) <= _LONGEST_SOCKET_PATH else f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
