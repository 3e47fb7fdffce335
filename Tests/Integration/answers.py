"""The one shape that cognito-session --json has, whatever was asked for and whatever became of it."""

import json

#: The words for what goes wrong, by exit status: those of the manual page.
WORDS = {
    1: {"none"},
    2: {"expired"},
    3: {"refused"},
    4: {"unreachable", "throttled", "service_fault"},
    5: {"no_agent"},
    6: {"cancelled"},
    7: {"improvable"},
    8: {"broken"},
    9: {"partly"},
    64: {"usage"},
    70: {"fault", "busy"},
    77: {"not_permitted"},
    125: {"not_started"},
    126: {"not_executable"},
    127: {"not_found"},
}


def answer_of(result, program: str) -> dict:
    """The one object that a command has printed, which has the shape that all have."""
    silent, said = (result.stdout, result.stderr) if program == "exec" else (result.stderr, result.stdout)
    assert silent == "" and said.count("\n") == 1 and said.endswith("\n"), result
    found = json.loads(said)
    assert found["exit_status"] == result.returncode, found
    if result.returncode == 0:
        assert found["error"] is None, found
    else:
        assert found["error"] in WORDS[result.returncode], found
    assert found["message"] is None if found["message"] is None else found["message"].strip() == found["message"] != ""
    assert found["error"] is None or found["message"] is not None, found
    assert "\n" not in (found["message"] or "")
    return found
