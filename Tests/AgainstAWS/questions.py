"""What is asked, and what the product expects. Each question has users of its own, since wrong answers count."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import jwt

from Emulator import app_codes

from .pool import PASSWORD, Answer, Client, CommandError, Pool
from .product import BY_PASSWORD, EVERYWHERE, SESSION, Worker

WRONG = "Wrong-Horse-Entirely-9!"
INCORRECT = "NotAuthorizedException: Incorrect username or password."
ACCESS_REVOKED = "NotAuthorizedException: Access Token has been revoked"
REFRESH_REVOKED = "NotAuthorizedException: Refresh Token has been revoked"
TOKENS = "AccessToken IdToken"
ROTATED = "AccessToken IdToken RefreshToken"
#: How long a switch of the issuer may take to show, in seconds.
PATIENCE = 60

#: What else no source tells, and what it takes to ask it.
NOT_ASKED = {
    "Which Region is in the issuer of tokens from a replica?": "a pool with a replica in another Region",
    "Which operations does a replica refuse, and how?": "a pool with a replica in another Region",
    "Does PrivateLink serve the key set?": "a VPC with an endpoint for cognito-idp: run this program in it, and read "
    "the answer about the key set",
    "Are there user pools in China?": "an account of the partition aws-cn",
    "Which quota has GlobalSignOut?": "more requests than a stranger's account should be asked to make",
}


@dataclass
class Run:
    """The pool with what the questions share."""

    pool: Pool
    stale_ages: list[float]
    with_iam: bool
    public: Client = field(init=False)
    #: With a secret; it does not tell which users exist.
    confidential: Client = field(init=False)
    #: Its refresh tokens rotate.
    rotating: Client = field(init=False)

    def prepare(self) -> None:
        client = self.pool.client
        flows = ["USER_SRP_AUTH", "USER_PASSWORD_AUTH", "USER_AUTH", "REFRESH_TOKEN_AUTH"]
        self.public = client(*flows, PreventUserExistenceErrors="LEGACY")
        self.confidential = client(*flows, secret=True, PreventUserExistenceErrors="ENABLED")
        rotation = {"Feature": "ENABLED", "RetryGracePeriodSeconds": 0}
        self.rotating = client("USER_SRP_AUTH", RefreshTokenRotation=rotation)

    def user(self) -> str:
        return self.pool.user(self.public)

    def signed_in(self, client: Client | None = None) -> tuple[str, dict]:
        """A new user, and tokens of theirs."""
        user = self.user()
        return user, self.pool.sign_in(client or self.public, user)

    def worker(self, client: Client | None = None, user: str | None = None) -> Worker:
        return Worker(self.pool, client or self.public, user or self.user())


#: The steps of a question, and what each came to.
Steps = Iterator[tuple[str, object]]


@dataclass
class Question:
    text: str
    #: What the product or the emulator relies on, by the steps of the question.
    expected: dict[str, str]
    #: No source has the answer, so `expected` is a guess.
    unknown: bool
    ask: Callable[[Run], Steps]


class NotAskedError(Exception):
    """A question that cannot be asked, and why."""


QUESTIONS: list[Question] = []


def question(text: str, expected: dict[str, str], unknown: bool = False):
    def add(ask: Callable[[Run], Steps]) -> Callable[[Run], Steps]:
        QUESTIONS.append(Question(text, expected, unknown, ask))
        return ask

    return add


# Sign-ins


@question(
    "What does the product's sign-in come to?",
    dict(srp="signed_in", with_secret="signed_in", password="signed_in", begun_ahead="signed_in", renewal="renewed"),
)
def sign_in(run: Run) -> Steps:
    worker = run.worker()
    yield "srp", worker.sign_in()
    yield "with_secret", run.worker(run.confidential, worker.user).sign_in()
    yield "password", worker.sign_in(flow=BY_PASSWORD)
    yield "begun_ahead", worker.sign_in(preconnect=2, think=1)
    yield "renewal", worker.renew()


@question(
    "What is said to a wrong password, and to an unknown user?",
    dict(
        wrong=INCORRECT,
        unknown="UserNotFoundException: User does not exist.",
        hidden_begin="PASSWORD_VERIFIER without Session",
        hidden_proof=INCORRECT,
    ),
)
def wrong_password(run: Run) -> Steps:
    yield "wrong", run.pool.prove(run.pool.begin(run.public, run.user(), WRONG))
    yield "unknown", run.pool.begin(run.public, "no-such-user").answer
    hidden = run.pool.begin(run.confidential, "no-such-user")
    yield "hidden_begin", hidden.answer
    yield "hidden_proof", run.pool.prove(hidden)


@question(
    "After how many wrong passwords does the lock begin, and what does the product say to the right one then?",
    dict(wrong="5", then="NotAuthorizedException: Password attempts exceeded", product="failed (locked_out)"),
    unknown=True,
)
def lock(run: Run) -> Steps:
    user, wrong, first = run.user(), 0, {}
    # The lock of the eighth lasts long enough for the product to meet it.
    for _ in range(40):
        answer = run.pool.by_password(run.public, user, WRONG)
        if str(answer) == INCORRECT:
            wrong += 1
        else:
            first = first or {"wrong": wrong, "then": answer}
            time.sleep(1)
        if wrong == 8:
            break
    product = run.worker(user=user).sign_in(flow=BY_PASSWORD).partition(":")[0]
    yield from {"wrong": wrong, "then": answer, **first, "product": product}.items()


@question(
    "Has a challenge of USER_AUTH for SRP a Session?",
    dict(begin="PASSWORD_VERIFIER with Session", proof=ROTATED),
    unknown=True,
)
def user_auth(run: Run) -> Steps:
    challenge = run.pool.begin(run.public, run.user(), PREFERRED_CHALLENGE="PASSWORD_SRP")
    yield "begin", challenge.answer
    yield "proof", run.pool.prove(challenge)


@question(
    "By how many minutes may the TIMESTAMP of a proof be off, and what is said beyond?",
    dict(late=f"good by 4; by 6: {INCORRECT}", early=f"good by 4; by 6: {INCORRECT}"),
    unknown=True,
)
def timestamp(run: Run) -> Steps:
    def widest(sign: int) -> str:
        user, good = run.user(), 0
        for minutes in (1, 2, 4, 6, 9, 11, 20, 60):
            answer = run.pool.prove(run.pool.begin(run.public, user), datetime.timedelta(minutes=sign * minutes))
            if not answer.tokens:
                return f"good by {good}; by {minutes}: {answer}"
            good = minutes
        return f"good by {good}"

    yield "late", widest(-1)
    yield "early", widest(1)


@question(
    "Can the Session of NEW_PASSWORD_REQUIRED be used again after a new password that is too weak?",
    dict(
        first="NEW_PASSWORD_REQUIRED with Session",
        weak="InvalidPasswordException: Password did not conform with policy: Password not long enough",
        good=ROTATED,
    ),
    unknown=True,
)
def new_password(run: Run) -> Steps:
    user = "user-new-password"
    run.pool.admin("admin-create-user", Username=user, TemporaryPassword="Temporary-Horse-9!", MessageAction="SUPPRESS")
    first = run.pool.by_password(run.public, user, "Temporary-Horse-9!")
    yield "first", first
    yield "weak", run.pool.respond(first, run.public, {"USERNAME": user, "NEW_PASSWORD": "Sh0rt!"})
    yield "good", run.pool.respond(first, run.public, {"USERNAME": user, "NEW_PASSWORD": PASSWORD})


@question(
    "What is said to codes of an authenticator app, and does the product sign in with one?",
    dict(
        setup_wrong="EnableSoftwareTokenMFAException: Code mismatch and fail enable Software Token MFA",
        setup="SUCCESS",
        preferred="ok",
        used="ExpiredCodeException: Your software token has already been used once.",
        wrong="CodeMismatchException: Invalid code received for user",
        product="signed_in",
    ),
)
def software_token(run: Run) -> Steps:
    user, tokens = run.signed_in()
    access = {"AccessToken": tokens["AccessToken"]}
    secret = run.pool.ask("AssociateSoftwareToken", **access).body["SecretCode"]
    yield "setup_wrong", run.pool.ask("VerifySoftwareToken", UserCode=app_codes.code_at(secret, 0), **access)
    code = app_codes.totp(secret)
    yield "setup", run.pool.ask("VerifySoftwareToken", UserCode=code, **access)
    settings = {"Enabled": True, "PreferredMfa": True}
    yield "preferred", run.pool.ask("SetUserMFAPreference", SoftwareTokenMfaSettings=settings, **access)

    def answered(code: str) -> Answer:
        asked = run.pool.prove(run.pool.begin(run.public, user))
        return run.pool.respond(asked, run.public, {"USERNAME": user, "SOFTWARE_TOKEN_MFA_CODE": code})

    yield "used", answered(code)
    yield "wrong", answered(app_codes.code_at(secret, 0))
    yield "product", run.worker(user=user).sign_in(PASSWORD, lambda: app_codes.totp(secret))


# Tokens


@question(
    "What does a renewal give, without rotation and with it, and what becomes of a rotated token?",
    dict(
        plain=TOKENS,
        flow=TOKENS,
        rotated=ROTATED,
        reused="RefreshTokenReuseException: Refresh token has been reused",
        newest_after_reuse=ROTATED,
        wrong_flow="InvalidParameterException: Auth flow not enabled for this client",
        product="signed_in, renewed, renewed",
    ),
    unknown=True,
)
def rotation(run: Run) -> Steps:
    user, plain = run.signed_in()
    yield "plain", run.pool.refresh(run.public, plain)
    yield "flow", run.pool.refresh_by_flow(run.public, plain, user)
    first = run.pool.sign_in(run.rotating, user)
    second = run.pool.refresh(run.rotating, first)
    yield "rotated", second
    yield "reused", run.pool.refresh(run.rotating, first)
    yield "newest_after_reuse", run.pool.refresh(run.rotating, second.tokens)
    yield "wrong_flow", run.pool.refresh_by_flow(run.rotating, first, user)
    worker = run.worker(run.rotating)
    yield "product", ", ".join([worker.sign_in(), worker.renew(), worker.renew()])


@question(
    "What does RevokeToken say, and what to tokens that it does not know?",
    dict(
        revoked="ok",
        access=ACCESS_REVOKED,
        refresh=REFRESH_REVOKED,
        again="ok",
        unknown="ok",
        access_token="UnsupportedTokenTypeException: Unsupported token type",
        other_client="UnauthorizedException: Refresh Token has different Client",
        product="signed_in, signed_out (revoked)",
    ),
    unknown=True,
)
def revoke_token(run: Run) -> Steps:
    user, tokens = run.signed_in()
    refresh = tokens["RefreshToken"]
    yield "revoked", run.pool.revoke(run.public, refresh)
    yield "access", run.pool.get_user(tokens)
    yield "refresh", run.pool.refresh(run.public, tokens)
    yield "again", run.pool.revoke(run.public, refresh)
    yield "unknown", run.pool.revoke(run.public, refresh[:-8] + "AAAAAAAA")
    yield "access_token", run.pool.revoke(run.public, tokens["AccessToken"])
    other = run.pool.sign_in(run.confidential, user)
    yield "other_client", run.pool.revoke(run.public, other["RefreshToken"])
    worker = run.worker(user=user)
    yield "product", ", ".join([worker.sign_in(), worker.sign_out(SESSION)])


@question(
    "What does GlobalSignOut say, and is a sign-in in the same second revoked with it?",
    dict(
        done="ok",
        new_sign_in=ACCESS_REVOKED,
        its_renewal=TOKENS,
        access=ACCESS_REVOKED,
        refresh=REFRESH_REVOKED,
        again=ACCESS_REVOKED,
        revoke_after="ok",
        later_sign_in="ok",
        product="signed_in, signed_out (revoked)",
    ),
    unknown=True,
)
def global_sign_out(run: Run) -> Steps:
    user, tokens = run.signed_in()
    # Revocation is thought to go by the second.
    time.sleep(1.05 - time.time() % 1)
    yield "done", run.pool.sign_out(tokens)
    new = run.pool.sign_in(run.public, user)
    yield "new_sign_in", run.pool.get_user(new)
    yield "its_renewal", run.pool.refresh(run.public, new)
    yield "access", run.pool.get_user(tokens)
    yield "refresh", run.pool.refresh(run.public, tokens)
    yield "again", run.pool.sign_out(tokens)
    yield "revoke_after", run.pool.revoke(run.public, tokens["RefreshToken"])
    time.sleep(2)
    yield "later_sign_in", run.pool.get_user(run.pool.sign_in(run.public, user))
    worker = run.worker()
    yield "product", ", ".join([worker.sign_in(), worker.sign_out(EVERYWHERE)])


@question(
    "Do tokens outlast a change of the password?",
    dict(change="ok", access="ok", refresh=TOKENS, other_session=TOKENS),
    unknown=True,
)
def password_change(run: Run) -> Steps:
    user, tokens = run.signed_in()
    other = run.pool.sign_in(run.public, user)
    passwords = {"PreviousPassword": PASSWORD, "ProposedPassword": WRONG}
    yield "change", run.pool.ask("ChangePassword", AccessToken=tokens["AccessToken"], **passwords)
    yield "access", run.pool.get_user(tokens)
    yield "refresh", run.pool.refresh(run.public, tokens)
    yield "other_session", run.pool.refresh(run.public, other)


@question(
    "Are both secrets of an app client good, and what is said to one that was deleted?",
    dict(
        old="signed_in",
        new="signed_in",
        deleted="NotAuthorizedException: Unable to verify secret hash for client $client_id",
        refresh="NotAuthorizedException: Invalid client secret",
        product="failed (configuration)",
    ),
    unknown=True,
)
def client_secrets(run: Run) -> Steps:
    old = run.pool.client("USER_SRP_AUTH", "USER_PASSWORD_AUTH", "REFRESH_TOKEN_AUTH", secret=True)
    worker = run.worker(old)
    yield "old", worker.sign_in()
    first = run.pool.admin("list-user-pool-client-secrets", ClientId=old.id)["ClientSecrets"][0]["ClientSecretId"]
    added = run.pool.admin("add-user-pool-client-secret", ClientId=old.id)["ClientSecretDescriptor"]
    new = dataclasses.replace(old, secret=added["ClientSecretValue"])
    yield "new", run.worker(new, worker.user).sign_in()
    tokens = run.pool.sign_in(old, worker.user)
    run.pool.admin("delete-user-pool-client-secret", ClientId=old.id, ClientSecretId=first)
    yield "deleted", run.pool.by_password(old, worker.user)
    yield "refresh", run.pool.refresh(old, tokens)
    yield "product", worker.renew().partition(":")[0]


# The issuer


def issuer(run: Run, tokens: dict) -> str:
    """Which of the pool's issuers the access and ID token name."""
    both = [tokens[name] for name in ("AccessToken", "IdToken") if name in tokens]
    named = {jwt.decode(token, options={"verify_signature": False})["iss"] for token in both}
    forms = {f"https://{host}/{run.pool.id}": kind for kind, host in run.pool.own_hosts.items()}
    return " and ".join(sorted(forms.get(name, "another") for name in named)) or "no tokens"


def key_sets(run: Run) -> str:
    """What each issuer's host says, and whether both have the same keys."""
    path = f"/{run.pool.id}/.well-known/jwks.json"
    found = {kind: run.pool.fetch(host, path) for kind, host in run.pool.own_hosts.items()}
    keys = [sorted(key["kid"] for key in json.loads(text)["keys"]) for status, text in found.values() if status == 200]
    same = ", the same keys" if len(keys) == 2 and keys[0] == keys[1] else ""
    return ", ".join(f"{kind} {status}" for kind, (status, _) in found.items()) + same


def switch(run: Run, kind: str) -> str:
    """Gives the pool that issuer, and waits until tokens have it."""
    user = run.user()
    # All else becomes what a new pool has, codes of authenticator apps included.
    run.pool.admin("update-user-pool", IssuerConfiguration={"Type": kind})
    described = run.pool.admin("describe-user-pool")["UserPool"].get("IssuerConfiguration", {}).get("Type")
    deadline = time.monotonic() + PATIENCE
    while (
        (found := issuer(run, run.pool.sign_in(run.public, user))) != kind
        and described == kind
        and time.monotonic() < deadline
    ):
        time.sleep(5)
    return found


@question(
    "What becomes of the issuer, of the key sets and of open sessions when a pool is switched to UPDATED, and back?",
    dict(
        before="ORIGINAL",
        key_sets_before="ORIGINAL 200, UPDATED 403",
        product_before="signed_in",
        after="UPDATED",
        key_sets_after="ORIGINAL 200, UPDATED 200, the same keys",
        old_access_token="ok",
        renewed="UPDATED",
        product="checked, renewed, checked, signed_in",
        back="ORIGINAL",
        renewed_again="ORIGINAL",
        old_sign_out="ok",
        product_after="checked, renewed, signed_out (revoked)",
    ),
    unknown=True,
)
def issuers(run: Run) -> Steps:
    _, tokens = run.signed_in()
    worker = run.worker()
    yield "before", issuer(run, tokens)
    yield "key_sets_before", key_sets(run)
    yield "product_before", worker.sign_in()
    yield "after", switch(run, "UPDATED")
    yield "key_sets_after", key_sets(run)
    yield "old_access_token", run.pool.get_user(tokens)
    yield "renewed", issuer(run, run.pool.refresh(run.public, tokens).tokens)
    yield "product", ", ".join([worker.check(), worker.renew(), worker.check(), worker.sign_in()])
    yield "back", switch(run, "ORIGINAL")
    yield "renewed_again", issuer(run, run.pool.refresh(run.public, tokens).tokens)
    yield "old_sign_out", run.pool.sign_out(tokens)
    yield "product_after", ", ".join([worker.check(), worker.renew(), worker.sign_out(EVERYWHERE)])


def of_both_issuers(run: Run) -> Iterator[tuple[str, str]]:
    """An ID token of each."""
    for kind in ("ORIGINAL", "UPDATED"):
        if switch(run, kind) != kind:
            raise NotAskedError(f"the issuer did not become {kind}")
        yield kind, run.signed_in()[1]["IdToken"]


def said(command: Callable[[], object]) -> str:
    """What becomes of an operation."""
    try:
        command()
    except CommandError as error:
        return re.sub(r".*An error occurred \((\w+)\) when calling [^:]*", r"\1", str(error), flags=re.DOTALL)
    return "ok"


@question(
    "Under which name (Logins) does an identity pool take tokens of a pool that was switched?",
    {"ORIGINAL at ORIGINAL": "ok", "UPDATED at ORIGINAL": "ok"},
    unknown=True,
)
def identity_pool(run: Run) -> Steps:
    names = {kind: f"{host}/{run.pool.id}" for kind, host in run.pool.own_hosts.items()}
    aws = functools.partial(run.pool.aws, "cognito-identity")
    identities = run.pool.make(
        "cognito-identity",
        "create-identity-pool",
        lambda made: ("delete-identity-pool", {"IdentityPoolId": made["IdentityPoolId"]}),
        IdentityPoolName=run.pool.name,
        AllowUnauthenticatedIdentities=False,
        CognitoIdentityProviders=[{"ProviderName": names["ORIGINAL"], "ClientId": run.public.id}],
    )["IdentityPoolId"]

    def take(logins: dict) -> None:
        identity = aws("get-id", IdentityPoolId=identities, Logins=logins)["IdentityId"]
        aws("get-open-id-token", IdentityId=identity, Logins=logins)

    for kind, token in of_both_issuers(run):
        for name, login in names.items():
            yield f"{kind} at {name}", said(functools.partial(take, {login: token}))


@question(
    "Which issuer must an OpenID Connect provider of IAM have for tokens of a pool that was switched?",
    {"ORIGINAL at ORIGINAL": "ok", "UPDATED at UPDATED": "ok"},
    unknown=True,
)
def iam_provider(run: Run) -> Steps:
    if not run.with_iam:
        raise NotAskedError("needs --iam")

    def role(kind: str) -> str:
        """A role that the tokens of that issuer are good for, and that may do nothing."""
        issuer = f"{run.pool.own_hosts[kind]}/{run.pool.id}"
        provider = run.pool.make(
            "iam",
            "create-open-id-connect-provider",
            lambda made: ("delete-open-id-connect-provider", made),
            Url=f"https://{issuer}",
            ClientIDList=[run.public.id],
        )["OpenIDConnectProviderArn"]
        statement = {
            "Effect": "Allow",
            "Principal": {"Federated": provider},
            "Action": "sts:AssumeRoleWithWebIdentity",
            "Condition": {"StringEquals": {f"{issuer}:aud": run.public.id}},
        }
        return run.pool.make(
            "iam",
            "create-role",
            lambda made: ("delete-role", {"RoleName": made["Role"]["RoleName"]}),
            RoleName=f"{run.pool.name}-{kind}",
            AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
        )["Role"]["Arn"]

    roles: dict[str, str] = {}
    for kind, token in of_both_issuers(run):
        # IAM asks the issuer's host, which may not answer before the switch.
        roles[kind] = role(kind)
        for name, arn in roles.items():
            members = {"RoleArn": arn, "RoleSessionName": "against-aws", "WebIdentityToken": token}
            assume = functools.partial(run.pool.aws, "sts", "assume-role-with-web-identity", **members)
            # A new role is known everywhere after some seconds.
            deadline = time.monotonic() + PATIENCE / 2
            while (outcome := said(assume)).startswith("AccessDenied") and time.monotonic() < deadline:
                time.sleep(5)
            yield f"{kind} at {name}", outcome


# Last, since it takes minutes.


@question(
    "How old may a SECRET_BLOCK be, what is said to an older one, and does that count as a wrong password?",
    {
        "3 s": ROTATED,
        "5 s": ROTATED,
        "10 s": ROTATED,
        "20 s": ROTATED,
        "60 s": ROTATED,
        "190 s": INCORRECT,
        "a new sign-in after five refused ones": "NotAuthorizedException: Password attempts exceeded",
    },
    unknown=True,
)
def stale(run: Run) -> Steps:
    users = {age: run.user() for age in run.stale_ages}
    challenges = {age: (run.pool.begin(run.public, user), time.monotonic() + age) for age, user in users.items()}
    for age, (challenge, due) in challenges.items():
        time.sleep(max(0.0, due - time.monotonic()))
        answer = run.pool.prove(challenge)
        yield f"{age:g} s", answer
    if not answer.tokens:
        for _ in range(4):
            run.pool.prove(challenge)
        again = run.pool.begin(run.public, challenge.parameters["USERNAME"])
        yield "a new sign-in after five refused ones", run.pool.prove(again)
