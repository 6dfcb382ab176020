"""The rows and columns that `kubectl get` shows."""
