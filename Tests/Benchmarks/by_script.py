"""What pam_exec starts to ask Cognito: with boto3, or with pycognito, which proves it and verifies tokens.

`by_script.py SETTINGS` with the password in standard input; signs out again when the session closes (PAM_TYPE).
"""

import json
import os
import sys
from pathlib import Path

import boto3
from botocore import UNSIGNED
from botocore.config import Config


def boto3_client(settings: dict):
    return boto3.client(
        "cognito-idp",
        region_name=settings["region"],
        endpoint_url=settings["endpoint"],
        verify=settings["ca"],
        config=Config(signature_version=UNSIGNED),
    )


def by_boto3(settings: dict, user: str, password: str) -> str:
    answer = boto3_client(settings).initiate_auth(
        ClientId=settings["client_id"],
        AuthFlow="USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": user, "PASSWORD": password},
    )
    return answer["AuthenticationResult"]["AccessToken"]


def by_pycognito(settings: dict, user: str, password: str) -> str:
    import requests
    from pycognito import Cognito

    class Pool(Cognito):
        """The issuer is Amazon's, whatever the endpoint."""

        @property
        def user_pool_url(self) -> str:
            return settings["issuer"]

        def get_keys(self) -> dict:
            if not self.pool_jwk:
                where = settings["endpoint"] + settings["jwks_path"]
                self.pool_jwk = requests.get(where, verify=settings["ca"], timeout=15).json()
            return self.pool_jwk

    client = Pool(
        settings["pool_id"],
        settings["client_id"],
        username=user,
        botocore_config=Config(signature_version=UNSIGNED),
        boto3_client_kwargs={"endpoint_url": settings["endpoint"], "verify": settings["ca"]},
    )
    client.authenticate(password)
    return client.access_token


def main() -> None:
    settings = json.loads(Path(sys.argv[1]).read_text())
    user = os.environ["PAM_USER"]
    kept = Path(f"/run/by-script-{user}")
    if os.environ["PAM_TYPE"] == "close_session":
        token = kept.read_text()
        kept.unlink()
        boto3_client(settings).global_sign_out(AccessToken=token)
        return
    password = sys.stdin.buffer.read().rstrip(b"\0").decode()
    ask = {"boto3": by_boto3, "pycognito": by_pycognito}[settings["with"]]
    os.umask(0o077)
    kept.write_text(ask(settings, user, password))


if __name__ == "__main__":
    main()
