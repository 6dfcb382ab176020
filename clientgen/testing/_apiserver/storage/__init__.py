"""Served resources, stored objects, and views of them in other versions."""
