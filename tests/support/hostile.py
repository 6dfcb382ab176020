"""A CustomResourceDefinition whose texts try to be code, markup or commands to a terminal."""

from __future__ import annotations

import json

HOSTILE = (
    "</code></script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "`<b>`\u001b[31mred\u001b[0m\u202e",
    "javascript:alert(3) ]]> --> ${x} {{ x }} \\u003cscript",
    '"""\nraise SystemExit\n"""',
)
"""Texts, each of which is a description, a value and a default."""


def hostile_definition() -> str:
    """Return the definition, as JSON."""
    fields = {
        f"field{number}": {
            "type": "string",
            "description": text,
            "default": text,
            "enum": [text, "other"],
        }
        for number, text in enumerate(HOSTILE)
    }
    names = ("<b>", "a b", "../up", "con", "Con", "CON", "a&b;c", "<script>alert(4)<")
    odd = {name: {"type": "string", "description": name} for name in names}
    spec = {"type": "object", "description": HOSTILE[0], "properties": {**fields, **odd}}
    schema = {"type": "object", "description": HOSTILE[1], "properties": {"spec": spec}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "traps.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Cluster",
            "names": {"kind": "Trap", "plural": "traps"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                }
            ],
        },
    }
    return json.dumps(definition)
