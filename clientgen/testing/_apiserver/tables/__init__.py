"""Table answers: the rows and columns that `kubectl get` shows."""
