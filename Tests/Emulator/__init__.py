"""The Cognito emulator that the integration tests and the demo sign in against.

`python3 -m Emulator --directory DIR` starts it; `Emulator.client` drives it. This file imports nothing, so that the
client costs no more than the standard library.
"""
