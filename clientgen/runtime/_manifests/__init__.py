"""YAML and JSON manifests: reading, checking against the classes, writing."""
