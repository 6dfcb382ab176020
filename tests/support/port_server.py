"""API servers that do not forward ports as they should."""

from __future__ import annotations

from aiohttp import web


async def refuse_or_speak_nonsense(request: web.BaseRequest) -> web.StreamResponse:
    if not request.path.endswith("/portforward"):
        return web.json_response({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}})
    port = request.query["ports"]
    if port == "1":
        return web.json_response({"kind": "Status", "code": 403, "message": "no"}, status=403)
    upgraded = web.WebSocketResponse(protocols=("v4.channel.k8s.io",))
    await upgraded.prepare(request)
    if port == "2":
        await upgraded.send_bytes(b"\0\xff\xff")
    else:
        assert request.transport is not None
        request.transport.abort()
    return upgraded
