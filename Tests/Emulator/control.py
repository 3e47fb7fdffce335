"""The control channel: a UNIX stream socket with one JSON object per line in each direction.

A socket in the file system, because the program under test lives in a network name space of its own and the test
outside of it: what they share is the path.

    {"op": "pool", "arguments": {"name": "x"}}  ->  {"ok": true, "result": {...}}
                                                ->  {"ok": false, "error": {"name": ..., "message": ...}}
"""

from __future__ import annotations

import asyncio
import inspect
import json
import os
from pathlib import Path

from .client import socket_address
from .service import CognitoEmulator, OperationRefusedError

_LONGEST_LINE = 64 << 20


class ControlServer:
    def __init__(self, emulator: CognitoEmulator) -> None:
        self._operations = emulator.operations()
        self._server: asyncio.Server | None = None

    async def open(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        previous = os.umask(0o177)
        try:
            with socket_address(path) as address:
                self._server = await asyncio.start_unix_server(self._converse, address, limit=_LONGEST_LINE)
        finally:
            os.umask(previous)

    def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await self._run(line)).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            pass
        finally:
            writer.close()

    async def _run(self, line: bytes) -> dict:
        try:
            request = json.loads(line)
            operation = self._operations.get(request["op"])
            if operation is None:
                raise ValueError(f"operation {request['op']!r}: not one of {', '.join(sorted(self._operations))}")
            result = operation(**request.get("arguments", {}))
            return {"ok": True, "result": await result if inspect.isawaitable(result) else result}
        except OperationRefusedError as error:
            return {"ok": False, "error": {"name": error.name, "message": error.text}}
        except Exception as error:
            return {"ok": False, "error": {"name": type(error).__name__, "message": str(error)}}
