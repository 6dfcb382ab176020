"""YAML as kubectl and API servers read it.

`composer` makes nodes of a text, `scalars` says which value a plain scalar is, `loader` makes of
nodes what JSON can say, `dumper` writes for people. Generator, runtime and test server use it.
"""
