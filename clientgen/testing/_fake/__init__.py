"""The in-memory cluster and the ways into it: transports, HTTP, reactors, faults."""
