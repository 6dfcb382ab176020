"""Work queues, rate limits, election, sharding, events, metrics."""
