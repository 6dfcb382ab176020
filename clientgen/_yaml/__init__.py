"""YAML as kubectl and API servers read it.

`composer` converts a text to nodes, `loader` converts nodes to JSON values, `yaml_scalars` has the
rules for plain scalars, and `dumper` writes YAML for people. The generator, the runtime and the
test server use this package.
"""
