"""OpenAPI documents of API servers: their schemas, operations and `x-kubernetes-*` extensions."""
