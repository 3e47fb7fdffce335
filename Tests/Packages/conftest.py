"""The integration tests' machines, with the package in place of an installed build."""

from Integration.conftest import (  # noqa: F401
    emulated_cognito,
    emulator,
    machine,
    nothing_left_behind,
    pytest_configure,
    secret_search,
)
