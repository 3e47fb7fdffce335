"""Checks every request against botocore's service model of cognito-idp.

Only the model file is taken from botocore: its own validator covers required members, types and minimum lengths, but
neither maximum lengths nor enums nor patterns, and importing it costs more than this whole module.

The service's patterns are Java expressions that have to match the whole value. One deviation is deliberate: the
model's `PasswordType` forbids every space, the service (by its documentation) only leading and trailing ones.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import importlib.util
import json
from functools import cached_property
from pathlib import Path

import regex

from .answers import AMZ_JSON

TARGET_PREFIX = "AWSCognitoIdentityProviderService."
USER_POOLS = "cognito-idp/2016-04-18"
_NEWER_OPERATIONS = Path(__file__).with_name("session_operations.json")
_PATTERN_OVERRIDES = {"PasswordType": r"\S(.*\S)?"}
_MAXIMUM_FINDINGS = 20
#: What a value of a shape's type is in JSON, and what that is called; of all other types, a number.
_WANTED: dict[str, tuple[type | tuple[type, ...], str]] = {
    "structure": (dict, "an object"),
    "list": (list, "a list"),
    "map": (dict, "an object"),
    "string": (str, "a string"),
    "boolean": (bool, "a boolean"),
    "blob": (str, "base64 text"),
    "integer": (int, "a number"),
    "long": (int, "a number"),
}


class Finding(str):
    """One thing wrong with a request; `kind` decides how the service would refuse it, if it would at all."""

    kind: str

    def __new__(cls, kind: str, text: str) -> Finding:
        self = super().__new__(cls, text)
        self.kind = kind
        return self


class ServiceModel:
    """The operations and shapes of a service; of cognito-idp, unless another one is named."""

    def __init__(self, service: str = USER_POOLS) -> None:
        self._service = service
        self._patterns: dict[str, regex.Pattern] = {}

    @cached_property
    def _model(self) -> dict:
        package = importlib.util.find_spec("botocore")
        assert package is not None and package.origin is not None
        with gzip.open(Path(package.origin).parent / "data" / self._service / "service-2.json.gz") as file:
            model = json.load(file)
        if self._service != USER_POOLS:
            return model
        # What the pinned botocore is too old for, as a later one (1.44.5) has it: requests, of which alone it is asked.
        newer = json.loads(_NEWER_OPERATIONS.read_text())
        return {part: {**newer[part], **model[part]} for part in ("operations", "shapes")}

    def knows(self, operation: str) -> bool:
        return operation in self._model["operations"]

    def is_signed(self, operation: str) -> bool:
        description = self._model["operations"][operation]
        return description.get("authtype") != "none" and "smithy.api#noAuth" not in description.get("auth", [])

    def findings(self, operation: str, body: dict) -> list[Finding]:
        """What is wrong with `body` as the input of `operation`; kinds are type, constraint and unknown."""
        found: list[Finding] = []
        shape = self._model["operations"][operation].get("input")
        if shape:
            self._check(shape["shape"], body, operation, found)
        return found[:_MAXIMUM_FINDINGS]

    def _check(self, name: str, value: object, where: str, found: list[Finding]) -> None:
        if len(found) >= _MAXIMUM_FINDINGS:
            return
        shape = self._model["shapes"][name]
        if shape.get("document"):
            return
        wanted, called = _WANTED.get(shape["type"], ((int, float), "a number"))
        if not isinstance(value, wanted) or isinstance(value, bool) != (wanted is bool):
            found.append(Finding("type", f"{where}: {called} is wanted, not {_kind_of(value)}"))
            return
        match shape["type"]:
            case "structure":
                self._check_structure(shape, value, where, found)
            case "list":
                self._check_size(shape, len(value), where, "elements", found)
                for index, element in enumerate(value):
                    self._check(shape["member"]["shape"], element, f"{where}[{index}]", found)
            case "map":
                for key, element in value.items():
                    self._check(shape["key"]["shape"], key, f"{where} key", found)
                    self._check(shape["value"]["shape"], element, f"{where}.{key[:100]}", found)
            case "string":
                self._check_string(name, shape, value, where, found)
            case "blob":
                self._check_blob(value, where, found)
            case "boolean":
                pass
            case _:
                self._check_size(shape, value, where, "", found)

    def _check_structure(self, shape: dict, value: dict, where: str, found: list[Finding]) -> None:
        for required in shape.get("required", []):
            if value.get(required) is None:
                found.append(Finding("constraint", f"{where}: required member {required} is missing"))
        for key, member in value.items():
            if key not in shape["members"]:
                found.append(Finding("unknown", f"{where}: unknown member {key[:100]!r}"))
            elif member is None:
                found.append(Finding("unknown", f"{where}.{key}: null"))
            else:
                self._check(shape["members"][key]["shape"], member, f"{where}.{key}", found)

    def _check_string(self, name: str, shape: dict, value: str, where: str, found: list[Finding]) -> None:
        self._check_size(shape, len(value), where, "characters", found)
        if "enum" in shape and value not in shape["enum"]:
            found.append(Finding("constraint", f"{where}: {value[:100]!r} is not a member of {name}"))
        if "pattern" in shape and not self._matches(name, shape["pattern"], value):
            found.append(Finding("constraint", f"{where}: does not match {shape['pattern']}"))

    @staticmethod
    def _check_blob(value: str, where: str, found: list[Finding]) -> None:
        try:
            base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            found.append(Finding("type", f"{where}: base64 text is wanted"))

    @staticmethod
    def _check_size(shape: dict, size: float, where: str, unit: str, found: list[Finding]) -> None:
        what = f"{where}: {size} {unit}".rstrip()
        if "min" in shape and size < shape["min"]:
            found.append(Finding("constraint", f"{what}, at least {shape['min']} wanted"))
        if "max" in shape and size > shape["max"]:
            found.append(Finding("constraint", f"{what}, at most {shape['max']} allowed"))

    def _matches(self, name: str, pattern: str, value: str) -> bool:
        compiled = self._patterns.get(name)
        if compiled is None:
            # Java's \w, \d and \s are ASCII, its \p{...} classes are Unicode; no pattern of a request needs both.
            flags = regex.UNICODE if r"\p{" in pattern else regex.ASCII
            compiled = regex.compile(_PATTERN_OVERRIDES.get(name, pattern), flags)
            self._patterns[name] = compiled
        try:
            return compiled.fullmatch(value, timeout=1) is not None
        except TimeoutError:
            return False


def header_findings(model: ServiceModel, method: str, path: str, headers: dict[str, str]) -> list[Finding]:
    """What is wrong with the HTTP part of a request to an operation."""
    target = headers.get("x-amz-target", "")
    operation = target.removeprefix(TARGET_PREFIX)
    found = []
    if method != "POST":
        found.append(f"method {method[:20]!r}, POST wanted")
    if path != "/":
        found.append(f"path {path[:100]!r}, / wanted")
    if headers.get("content-type") != AMZ_JSON:
        found.append(f"Content-Type {headers.get('content-type', '')[:100]!r}, {AMZ_JSON} wanted")
    if not headers.get("user-agent", "").strip():
        found.append("no User-Agent")
    if not target.startswith(TARGET_PREFIX) or not model.knows(operation):
        found.append(f"X-Amz-Target {target[:100]!r} names no operation of cognito-idp")
    elif model.is_signed(operation):
        if "authorization" not in headers:
            found.append(f"{operation} without Authorization")
    elif "authorization" in headers:
        found.append(f"{operation} with an Authorization header")
    return [Finding("http", text) for text in found]


def _kind_of(value: object) -> str:
    return "null" if value is None else type(value).__name__
