"""Work that follows requests, such as emptying namespaces; played workloads."""
