"""Programs that connect to a port of this machine."""

from __future__ import annotations

import socket
import threading


def answer_of(port: int, data: bytes) -> bytes:
    """Send bytes, end the sending side, and return everything that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        answer = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                answer += piece
        except OSError:
            pass  # broken off
        return answer


def both_ways(port: int, data: bytes) -> bytes:
    """Send bytes, and read as many meanwhile."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        sender = threading.Thread(target=connection.sendall, args=[data])
        sender.start()
        answer = bytearray()
        while len(answer) < len(data) and (piece := connection.recv(65536)):
            answer += piece
        sender.join()
        return bytes(answer)


def talk(port: int, word: bytes, barrier: threading.Barrier) -> bytes:
    """Connect, wait until all others have, and exchange a word."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        barrier.wait(60)
        connection.sendall(word)
        answer = b""
        while len(answer) < len(word):
            answer += connection.recv(100)
        return answer


def answer_on(connection: socket.socket, data: bytes) -> bytes:
    """Send bytes over a connection that is there, and return as many; then close it."""
    with connection:
        connection.settimeout(60)
        connection.sendall(data)
        answer = bytearray()
        while len(answer) < len(data) and (piece := connection.recv(65536)):
            answer += piece
        return bytes(answer)
