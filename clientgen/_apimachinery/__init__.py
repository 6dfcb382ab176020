"""Rules of all API servers: names, labels, failures, decoding."""
