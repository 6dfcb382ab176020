"""Building blocks of controllers: queues, rate limits, leases, election, events, metrics."""
