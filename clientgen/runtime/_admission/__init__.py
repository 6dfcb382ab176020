"""Admission and conversion webhooks: how reviews are read and answered. Nothing here waits."""
