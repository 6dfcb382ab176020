"""The resources of a server, and the lookup of resources by name."""
