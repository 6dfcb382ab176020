"""Controllers: work that follows requests, such as emptying namespaces."""
