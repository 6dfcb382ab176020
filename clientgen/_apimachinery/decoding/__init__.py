"""Text to objects: bodies are parsed, and objects of built-in kinds brought into their form.

`parse` makes a JSON value of a JSON or YAML body; `normalise` does with it what decoding into a Go
type and encoding it again does: types are checked, unknown fields dropped, scalars rewritten, empty
fields left out. `in_json` makes JSON of protobuf. `dump_yaml` writes YAML answers.
"""

from .body import MAX_BODY_BYTES, Format, Parsed, input_format, parse
from .normalization import Normalised, normalise
from .wire import in_json
from .yaml_text import dump_yaml

__all__ = [
    "MAX_BODY_BYTES",
    "Format",
    "Normalised",
    "Parsed",
    "dump_yaml",
    "in_json",
    "input_format",
    "normalise",
    "parse",
]
