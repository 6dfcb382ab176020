"""What the tests against a real API server share."""
