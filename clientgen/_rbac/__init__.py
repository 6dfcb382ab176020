"""Role-based access control: who may do what, which roles requests need, and roles in files.

The test server authorizes by it, `pytest --rbac` and `clientgen rbac` derive and check roles by it.

Facts: docs/internals/kubernetes-semantics.md, 1.9.
"""
