"""CRD manifests from Python classes."""
