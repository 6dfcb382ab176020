"""Proxies: a kind in two versions, which a webhook converts."""
