"""Everyday work that takes several requests, as kubectl does it: decisions."""
