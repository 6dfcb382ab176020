"""A Kubernetes API server in memory, without sockets: a request in, an answer out."""
