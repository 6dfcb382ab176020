"""Requests, responses, retries and watches. Nothing here does I/O."""
