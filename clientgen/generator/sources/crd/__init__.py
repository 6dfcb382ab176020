"""CustomResourceDefinitions in YAML and JSON files, as a source of specs.

`gather` reads files and folders, `parse` makes a spec of them, `located` turns the places of
problems (`crds/web.yaml[0]#/spec/scope`) into lines. `crd_rules` has what an API
server would reject.
"""

from clientgen.generator.sources.crd.collector import Manifest, gather
from clientgen.generator.sources.crd.manifest_lines import line_of, located
from clientgen.generator.sources.crd.served_definitions import parse, specs_of

__all__ = ["Manifest", "gather", "line_of", "located", "parse", "specs_of"]
