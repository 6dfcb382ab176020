"""Kubeconfig files, credentials, exec plugins, TLS."""
