"""Drains, rollouts, port-forwards to workloads."""
