"""A KDC in the machine, and pam_krb5 as an administrator would set it up: people known, the host's key in a keytab."""

import contextlib
from collections.abc import Iterable, Iterator

from Integration.machine import REPOSITORY, Machine, MachineError, MachineProcess

from .tools import only

REALM = "EXAMPLE.COM"
PORT = 8088
UNPACKED = REPOSITORY / ".build" / "kerberos"


def reach(machine: Machine, port: int = PORT) -> None:
    """Which port of loopback the KDC is asked at."""
    machine.write(
        "/etc/krb5.conf",
        f"""[libdefaults]
default_realm = {REALM}
dns_lookup_kdc = false
dns_lookup_realm = false
dns_canonicalize_hostname = false
rdns = false
[realms]
{REALM} = {{
    kdc = 127.0.0.1:{port}
}}
""",
    )


def _kadmin(machine: Machine, *requests: str) -> None:
    said = machine.run(["kadmin.local", "-r", REALM], input="\n".join(requests) + "\n", check=True)
    done = said.stdout.count(" created.") + said.stdout.count("kvno 2, encryption type aes256-cts-hmac-sha1-96 added")
    if done != len(requests):
        raise MachineError(f"kadmin.local: {said.stdout}{said.stderr}")


@contextlib.contextmanager
def running(machine: Machine, people: Iterable[str], password: str) -> Iterator[MachineProcess]:
    """The KDC, which knows the people."""
    if not (UNPACKED / ".complete").exists():
        raise MachineError("no Kerberos is unpacked: sh Tests/Benchmarks/prepare-kerberos")
    copy = f"cp -a {UNPACKED}/usr/. /usr/ && cp -a {UNPACKED}/lib/. /usr/lib/ && mkdir -p /var/lib/krb5kdc"
    machine.run(["sh", "-c", copy], check=True)
    reach(machine)
    machine.write(
        "/etc/krb5kdc/kdc.conf",
        f"[kdcdefaults]\nkdc_ports = {PORT}\nkdc_tcp_ports = {PORT}\n[realms]\n{REALM} = {{\n"
        "    database_name = /var/lib/krb5kdc/principal\n    key_stash_file = /etc/krb5kdc/stash\n"
        "    default_principal_flags = +preauth\n}\n",
    )
    machine.run(["kdb5_util", "create", "-s", "-r", REALM, "-P", "of-the-database"], check=True)
    names = [f"addprinc -pw {password} {name}" for name in people]
    host = f"host/{machine.name}@{REALM}"
    _kadmin(machine, *names, f"addprinc -randkey {host}", f"ktadd {host}")
    only(machine, "krb5", "pam_krb5.so")
    kdc = machine.start(["krb5kdc", "-n", "-r", REALM])
    try:
        open_port = f":{PORT:04X} "
        machine.wait_until(lambda: open_port in (machine.proc / "1" / "net" / "udp").read_text(), "the KDC's readiness")
        yield kdc
    finally:
        kdc.end()
        # The next one is another realm of the same name.
        machine.run(["rm", "-rf", "/var/lib/krb5kdc", "/etc/krb5.keytab"], check=True)
