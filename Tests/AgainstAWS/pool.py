"""The user pool: made and changed with an administrator's credentials, and asked as an unsigned client asks."""

from __future__ import annotations

import datetime
import http.client
import json
import re
import signal
import ssl
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import botocore.session
from botocore.exceptions import BotoCoreError, ClientError
from pycognito.aws_srp import AWSSRP

PASSWORD = "Correct-Horse-9!"
TARGET = "AWSCognitoIdentityProviderService."
#: Members with values that tell nothing about the account. All other texts become `$name`.
HARMLESS = set(
    "AuthFlow ChallengeName TokenType ANSWER PREFERRED_CHALLENGE AvailableChallenges Status Name TIMESTAMP "
    "PreferredMfaSetting UserMFASettingList requiredAttributes reasonCode".split()
)
#: Names for values of members that have several names, as in the other conformance data.
NAMES = {
    "ClientId": "client_id",
    "USERNAME": "user_name",
    "Username": "user_name",
    "USER_ID_FOR_SRP": "user_name",
    "PASSWORD": "password",
    "Password": "password",
    "NEW_PASSWORD": "new_password",
    "REFRESH_TOKEN": "RefreshToken",
    "PASSWORD_CLAIM_SECRET_BLOCK": "SECRET_BLOCK",
    "PASSWORD_CLAIM_SIGNATURE": "signature",
    "SOFTWARE_TOKEN_MFA_CODE": "code",
    "UserCode": "code",
}
#: Parts of error texts that belong to the account.
PRIVATE = [
    (r"arn:[^\s\"']+", "$arn"),
    (r"[\w-]+@[\w.-]+", "$email"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "$uuid"),
    (r"\b[a-z]{2,4}(?:-[a-z]+)+-\d+_[0-9A-Za-z]+", "$pool_id"),
    (r"\b\d{12}\b", "$account_id"),
    (r"\b[0-9a-z]{24,30}\b", "$client_id"),
    (r"\buser-[0-9a-f]{8}\b", "$user_name"),
    (r"[\w=+/.-]{60,}", "$token"),
]


#: What ends the program, but not between making something and noting what deletes it.
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class CommandError(Exception):
    """AWS did not do it; what it said."""


@contextmanager
def held() -> Iterator[None]:
    """Signals that end the program come after this."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def redacted(value: object, member: str = "message") -> object:
    """The value without what belongs to the account: ids, names, tokens, codes."""
    if isinstance(value, dict):
        return {name: redacted(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [redacted(inner, member) for inner in value]
    if not isinstance(value, str) or member in HARMLESS:
        return value
    if member != "message":
        return f"${NAMES.get(member, member)}"
    for pattern, name in PRIVATE:
        value = re.sub(pattern, name, value)
    return value


@dataclass
class Answer:
    """What came back; `type` and `message` are an error's."""

    status: int
    body: dict
    type: str = ""
    message: str = ""

    def __str__(self) -> str:
        if self.type or self.status != 200:
            return f"{self.type or self.status}: {redacted(self.message)}".rstrip(": ")
        if "ChallengeName" in self.body:
            return self.body["ChallengeName"] + (" with Session" if self.body.get("Session") else " without Session")
        return " ".join(name for name in sorted(self.tokens) if name.endswith("Token")) or self.body.get("Status", "ok")

    @property
    def tokens(self) -> dict:
        return self.body.get("AuthenticationResult", {})


@dataclass
class Client:
    """An app client."""

    id: str
    secret: str | None = None


@dataclass
class Challenge:
    """A begun SRP sign-in: what proves the password, and Cognito's answer to the beginning."""

    client: Client
    srp: AWSSRP
    parameters: dict
    answer: Answer


@dataclass
class Pool:
    """`endpoint` and `ca_file` lead to something that is not Amazon's, `None` to Amazon."""

    region: str
    endpoint: str | None = None
    ca_file: str | None = None
    id: str = ""
    name: str = field(default_factory=lambda: f"pam-cognito-{uuid.uuid4().hex[:12]}")
    #: What deletes all that was made: services, operations, their members.
    undo: list[tuple[str, str, dict]] = field(default_factory=list)
    #: Each request with its answer, redacted.
    pairs: list[dict] = field(default_factory=list)
    #: The question that the requests are for.
    question: str = ""
    #: A signal ends the program, by the end of the current step.
    interrupted: bool = False

    def __post_init__(self) -> None:
        self._session = botocore.session.get_session()
        self._clients: dict = {}
        resolver = self._session.get_component("endpoint_resolver")
        host = resolver.construct_endpoint("cognito-idp", self.region)["hostname"]
        self.own_hosts = {"ORIGINAL": host, "UPDATED": f"issuer-{host}"}
        self._tls = ssl.create_default_context(cafile=self.ca_file)

    def create(self) -> None:
        """With the policies that Cognito has by default, and codes of authenticator apps for those who want them."""
        made = self.make(
            "cognito-idp",
            "create-user-pool",
            lambda made: ("delete-user-pool", {"UserPoolId": made["UserPool"]["Id"]}),
            PoolName=self.name,
            IssuerConfiguration={"Type": "ORIGINAL"},
        )
        self.id = made["UserPool"]["Id"]
        self.admin(
            "set-user-pool-mfa-config", MfaConfiguration="OPTIONAL", SoftwareTokenMfaConfiguration={"Enabled": True}
        )

    def make(self, service: str, operation: str, undo: Callable[[dict], tuple[str, dict]], **members: object) -> dict:
        """Makes something, and notes the operation that deletes it."""
        with held():
            made = self.aws(service, operation, **members)
            self.undo.append((service, *undo(made)))
        return made

    def delete(self) -> list[str]:
        """Deletes all that was made; the commands for what could not be."""
        left = []
        for service, operation, members in reversed(self.undo):
            try:
                self.aws(service, operation, **members)
            except CommandError as error:
                left.append(f"{error}\n    {self.command(service, operation, members)}")
        return left

    def command(self, service: str, operation: str, members: dict) -> str:
        """The command line, for the user."""
        return f"aws --region {self.region} {service} {operation} --cli-input-json '{json.dumps(members)}'"

    def aws(self, service: str, operation: str, **members: object) -> dict:
        """One operation, by its name in the AWS CLI, signed by whatever credentials the AWS CLI would find, too."""
        client = self._clients.get(service)
        if client is None:
            client = self._session.create_client(
                service, self.region, endpoint_url=self.endpoint, verify=self.ca_file or True
            )
            self._clients[service] = client
        try:
            done = getattr(client, operation.replace("-", "_"))(**members)
        except (BotoCoreError, ClientError) as error:
            raise CommandError(f"aws {service} {operation}: {error}") from None
        done.pop("ResponseMetadata", None)
        return done

    def admin(self, operation: str, **members: object) -> dict:
        return self.aws("cognito-idp", operation, UserPoolId=self.id, **members)

    def client(self, *flows: str, secret: bool = False, **members: object) -> Client:
        made = self.admin(
            "create-user-pool-client",
            ClientName="against-aws",
            GenerateSecret=secret,
            ExplicitAuthFlows=[f"ALLOW_{flow}" for flow in flows],
            **members,
        )["UserPoolClient"]
        return Client(made["ClientId"], made.get("ClientSecret"))

    def user(self, client: Client) -> str:
        """A new, confirmed user, to whom no message is sent."""
        name = f"user-{uuid.uuid4().hex[:8]}"
        self.ask("SignUp", client, Username=name, Password=PASSWORD)
        self.admin("admin-confirm-sign-up", Username=name)
        return name

    def ask(self, operation: str, client: Client | None = None, **members: object) -> Answer:
        """One unsigned request, as the product makes it; it is noted with its answer."""
        identity = {"ClientId": client.id} if client else {}
        headers = {"Content-Type": "application/x-amz-json-1.1", "X-Amz-Target": TARGET + operation}
        status, text, headers = self._http(
            self.own_hosts["ORIGINAL"], "/", json.dumps({**members, **identity}).encode(), headers
        )
        try:
            body = json.loads(text or "{}")
        except ValueError:
            body = None
        found = body if isinstance(body, dict) else {}
        names = re.split("[#:]", found.get("__type") or headers.get("x-amzn-errortype") or "")
        name = next((part for part in names if part.endswith(("Exception", "Failure", "Error"))), "")
        answer = Answer(status, found, name, found.get("message") or found.get("Message") or "")
        if body is None or (status != 200 and not name):
            said = {"status": status, "raw": redacted(text)}
        elif name:
            said = {"error": name, "message": redacted(answer.message), **({} if status == 400 else {"status": status})}
        else:
            said = {"body": redacted(found)}
        request = {"operation": operation, "body": redacted({**members, **identity})}
        name = f"{self.question} {len(self.pairs) + 1}"
        self.pairs.append({"name": name, "source": [self.source], "request": request, "answer": said})
        return answer

    @property
    def source(self) -> str:
        return self.endpoint or f"Amazon Cognito in {self.region}"

    def fetch(self, host: str, path: str) -> tuple[int, str]:
        """GET: the status, and the document."""
        return self._http(host, path)[:2]

    def _http(self, host: str, path: str, body: bytes | None = None, headers: dict | None = None):
        url = (self.endpoint or f"https://{host}").rstrip("/") + path
        request = urllib.request.Request(url, body, {"User-Agent": "pam-cognito-against-aws", **(headers or {})})
        if self.endpoint:
            request.add_header("Host", host)
        try:
            with urllib.request.urlopen(request, timeout=30, context=self._tls) as found:
                return found.status, found.read().decode(), found.headers
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode(errors="replace"), error.headers
        except (OSError, http.client.HTTPException) as error:
            return 0, str(error), {}

    # Sign-ins

    def hash(self, client: Client, user: str) -> dict[str, str]:
        return {"SECRET_HASH": AWSSRP.get_secret_hash(user, client.id, client.secret)} if client.secret else {}

    def by_password(self, client: Client, user: str, password: str = PASSWORD) -> Answer:
        parameters = {"USERNAME": user, "PASSWORD": password, **self.hash(client, user)}
        return self.ask("InitiateAuth", client, AuthFlow="USER_PASSWORD_AUTH", AuthParameters=parameters)

    def begin(self, client: Client, user: str, password: str = PASSWORD, **others: str) -> Challenge:
        """The first half of a sign-in by SRP; with `others`, of one by USER_AUTH."""
        srp = AWSSRP(user, password, self.id, client.id, client=object(), client_secret=client.secret)
        parameters = {**srp.get_auth_params(), **others}
        flow = "USER_AUTH" if others else "USER_SRP_AUTH"
        return Challenge(
            client, srp, parameters, self.ask("InitiateAuth", client, AuthFlow=flow, AuthParameters=parameters)
        )

    def prove(self, challenge: Challenge, clock: datetime.timedelta = datetime.timedelta()) -> Answer:
        """The second half, with a clock that is off by so much."""
        if challenge.answer.body.get("ChallengeName") != "PASSWORD_VERIFIER":
            return challenge.answer
        now = AWSSRP.get_cognito_formatted_timestamp(datetime.datetime.now(datetime.UTC) + clock)
        challenge.srp.get_cognito_formatted_timestamp = lambda _: now
        responses = challenge.srp.process_challenge(challenge.answer.body["ChallengeParameters"], challenge.parameters)
        return self.respond(challenge.answer, challenge.client, responses)

    def respond(self, answer: Answer, client: Client, responses: dict[str, str]) -> Answer:
        """The answer to a challenge."""
        session = {"Session": answer.body["Session"]} if answer.body.get("Session") else {}
        name = answer.body["ChallengeName"]
        responses = {**responses, **self.hash(client, responses["USERNAME"])}
        return self.ask("RespondToAuthChallenge", client, ChallengeName=name, ChallengeResponses=responses, **session)

    def sign_in(self, client: Client, user: str, password: str = PASSWORD) -> dict:
        """The tokens of a sign-in by SRP."""
        answer = self.prove(self.begin(client, user, password))
        if not answer.tokens:
            raise CommandError(f"the sign-in came to {answer}")
        return answer.tokens

    # Tokens

    def secret(self, client: Client) -> dict[str, str]:
        return {"ClientSecret": client.secret} if client.secret else {}

    def refresh(self, client: Client, tokens: dict) -> Answer:
        return self.ask("GetTokensFromRefreshToken", client, RefreshToken=tokens["RefreshToken"], **self.secret(client))

    def refresh_by_flow(self, client: Client, tokens: dict, user: str) -> Answer:
        parameters = {"REFRESH_TOKEN": tokens["RefreshToken"], **self.hash(client, user)}
        return self.ask("InitiateAuth", client, AuthFlow="REFRESH_TOKEN_AUTH", AuthParameters=parameters)

    def revoke(self, client: Client, token: str) -> Answer:
        return self.ask("RevokeToken", client, Token=token, **self.secret(client))

    def get_user(self, tokens: dict) -> Answer:
        return self.ask("GetUser", AccessToken=tokens["AccessToken"])

    def sign_out(self, tokens: dict) -> Answer:
        return self.ask("GlobalSignOut", AccessToken=tokens["AccessToken"])
