"""YAML as kubectl and API servers read it: sigs.k8s.io/yaml, a YAML 1.1 of its own.

`composer` makes nodes of a text, `scalars` says which value a plain scalar is, `loader` makes of
nodes what JSON can say, `dumper` writes for people. Generator, runtime and test server use it.
"""
