"""What controllers are made of: queues, rate limits, leases, election, events, metrics."""
