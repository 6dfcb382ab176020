"""An API server that passes requests on to a program, as far as clients see it."""

from __future__ import annotations

import asyncio

from aiohttp import WSMsgType, web

REDIRECT = "/api/v1/namespaces/shop/pods/web-0:8080/proxy/elsewhere"
BIG = bytes(range(256)) * 20_000


async def api_server(request: web.BaseRequest) -> web.StreamResponse:  # noqa: PLR0911 - a table
    path = request.path.partition("/proxy/")[2]
    if "/pods/forbidden:" in request.path:
        return _status(403, "Forbidden", "you may not")
    if "/services/empty:" in request.path:
        return _status(503, "ServiceUnavailable", "no endpoints")
    match path.split("/"):
        case ["status", code]:
            body = b"" if code == "204" else b"oh no"
            headers = {"Location": REDIRECT, "Retry-After": "1"}
            return web.Response(status=int(code), body=body, headers=headers)
        case ["json-error"]:
            return web.json_response({"kind": "Own"}, status=400)
        case ["big"]:
            return web.Response(body=BIG, headers={"X-Kind": "big"})
        case ["silent"]:
            await asyncio.sleep(3600)
            raise AssertionError
        case ["endless" | "cut"]:
            return await _pieces(request, is_endless=path == "endless")
        case ["ws"]:
            return await _echo_messages(request)
        case _:
            return await _echo(request)


async def _echo(request: web.BaseRequest) -> web.Response:
    body = (await request.read()).decode()
    headers = dict(request.headers)
    told = {"method": request.method, "path": request.raw_path, "headers": headers, "body": body}
    return web.json_response(told)


async def _pieces(request: web.BaseRequest, *, is_endless: bool) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b"x" * 100_000)
    while is_endless:
        await response.write(b"x" * 100_000)
    assert request.transport is not None
    request.transport.abort()
    return response


async def _echo_messages(request: web.BaseRequest) -> web.StreamResponse:
    socket = web.WebSocketResponse(protocols=("chat",))
    await socket.prepare(request)
    async for message in socket:
        if message.type == WSMsgType.TEXT:
            await socket.send_str(message.data.upper())
        else:
            await socket.send_bytes(message.data.upper())
    return socket


def _status(code: int, reason: str, message: str) -> web.Response:
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
    return web.json_response(
        {**status, "message": message, "reason": reason, "code": code}, status=code
    )
