"""Typed field selectors, as checkers see them."""

from __future__ import annotations

from typing import assert_type

from kubeapi import AsyncClientset, Clientset, fields

from clientgen.runtime import FieldTerm

on_node = fields.core_v1.Pod.spec_node_name == "n1"
assert_type(on_node, FieldTerm)
assert_type(on_node & (fields.core_v1.Pod.status_phase != "Running"), FieldTerm)

print(fields.core_v1.Pod.spec_hostname)  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownArgumentType, reportUnknownMemberType]


async def use(k: Clientset, other: AsyncClientset) -> None:
    k.core_v1.pods().list(field_selector=on_node)
    await other.core_v1.pods().list(field_selector=on_node)
    other.core_v1.pods().watch(field_selector=on_node)
