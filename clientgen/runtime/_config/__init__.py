"""Kubeconfig, credentials, exec plugins and TLS. The public names are in `config`."""
