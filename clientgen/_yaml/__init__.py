"""YAML as kubectl and API servers read it: sigs.k8s.io/yaml, a YAML 1.1 of its own.

`composing` makes nodes of a text, `scalars` says which value a plain scalar is, `reading` makes of
nodes what JSON can say, `writing` writes for people. Generator, runtime and test server use it.
"""
