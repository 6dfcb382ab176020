"""Roles: who may do what, and which roles requests need.

The test server authorizes by it, `pytest --rbac` and `clientgen rbac` derive and check roles by it.

Facts: docs/internals/kubernetes-semantics.md, 1.9.
"""
