"""What is measured: one module per client, each run in an environment of its own."""
