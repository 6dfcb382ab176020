"""YAML as kubectl and API servers read it.

`composer` makes nodes of a text, `yaml_scalars` says which value a plain scalar is, `loader` turns
nodes into JSON values, `dumper` writes for people. Generator, runtime and test server use it.
"""
