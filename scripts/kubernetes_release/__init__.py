"""Moves the project to another release of Kubernetes: CONTRIBUTING.md tells how."""
