"""A web site with manifests, and with answers that are none."""

from __future__ import annotations

from aiohttp import web

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


async def answer(request: web.BaseRequest) -> web.StreamResponse:
    path = request.path
    if path == "/map.yaml":
        assert request.query_string in ("", "token=s3cret")
        return web.Response(text=MAP)
    if path == "/page":
        return web.Response(text="<html>", content_type="text/html")
    if path.startswith("/hop/"):
        left = int(path.removeprefix("/hop/"))
        location = f"/hop/{left - 1}" if left else "../map.yaml"
        return web.Response(status=302, headers={"Location": location})
    if path == "/to":
        return web.Response(status=307, headers={"Location": request.query["url"]})
    if path == "/bytes":
        return web.Response(body=b"\xff\xfe")
    return web.Response(status=404, text="s3cret")
