"""CustomResourceDefinitions in YAML and JSON files, as a source of specs.

`gather` reads files and folders, `parse` makes a spec of them, `located` turns the places of
problems (`crds/web.yaml[0]#/spec/scope`) into lines. What an API server would refuse is in `rules`.
"""

from clientgen.generator.sources.crd.collector import Manifest, gather
from clientgen.generator.sources.crd.definitions import parse
from clientgen.generator.sources.crd.lines import line_of, located

__all__ = ["Manifest", "gather", "line_of", "located", "parse"]
