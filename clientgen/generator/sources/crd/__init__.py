"""CustomResourceDefinitions in YAML and JSON files."""
