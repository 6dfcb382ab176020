"""Drains, rollouts, port-forwards, kubectl's verbs."""
