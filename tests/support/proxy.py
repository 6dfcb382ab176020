"""Proxies that open tunnels (HTTP CONNECT) and remember who asked for them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from typing import Any


class TunnelProxy:
    """Accepts CONNECT with the right password and copies bytes both ways."""

    def __init__(self, password_header: str | None = None) -> None:
        self.asked: list[str] = []
        self._wanted = password_header
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._spawn(self._accept)

    def close(self) -> None:
        for each in (self._listener, *self._sockets):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)
        for each in (self._listener, *self._sockets):
            each.close()

    def _spawn(self, target: Any, *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._sockets.append(client)
            self._spawn(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        asked = b""
        while b"\r\n\r\n" not in asked:
            if not (more := client.recv(4096)):
                return
            asked += more
        self.asked.append(asked.decode())
        if self._wanted is not None and self._wanted not in asked.decode():
            client.sendall(b"HTTP/1.1 407 Who Are You\r\nContent-Length: 0\r\n\r\n")
            return
        host, _, port = asked.split()[1].decode().rpartition(":")
        server = socket.create_connection((host, int(port)))
        self._sockets.append(server)
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        self._spawn(self._copy, client, server)
        self._copy(server, client)

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


class TlsTunnelProxy:
    """A proxy that is reached by TLS. It runs on an event loop of its own."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.asked: list[str] = []
        self._context = context
        self._loop = asyncio.new_event_loop()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._over = asyncio.Event()
        self._writers: list[asyncio.StreamWriter] = []
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=[self._run()])
        self._thread.start()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()
        self._loop.close()

    async def _run(self) -> None:
        server = await asyncio.start_server(self._serve, sock=self._listener, ssl=self._context)
        await self._over.wait()
        server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for writer in self._writers:
            with contextlib.suppress(AttributeError):  # Python 3.11, if it is closed already
                writer.transport.abort()
        ends = (writer.wait_closed() for writer in self._writers)
        await asyncio.gather(*ends, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.append(writer)
        self.asked.append((await reader.readuntil(b"\r\n\r\n")).decode())
        host, _, port = self.asked[-1].split()[1].rpartition(":")
        server_reader, server_writer = await asyncio.open_connection(host, int(port))
        self._writers.append(server_writer)
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_copy(reader, server_writer))
            tasks.create_task(_copy(server_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()
