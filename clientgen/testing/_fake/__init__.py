"""The cluster in a test, and its ways in: transports, HTTP, reactors, faults."""
