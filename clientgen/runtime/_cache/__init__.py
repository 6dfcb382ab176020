"""Caches of API objects: the store, its indices, listers, and the rules that keep it up to date."""
