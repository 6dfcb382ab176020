"""Model classes, and the codec that converts them from and to JSON.

- Models are msgspec structs. `model_codec` decodes a whole page in one call. If that fails (a null
  list, an unknown field), `lenient_decoder` reads the object field by field. Unknown fields are
  fields of hidden subclasses (`variants`), so they are encoded, copied and compared, too.
- Objects without a class are `Unstructured`: a dict, whose nested values are plain dicts and lists.
- `auto` fields (metadata, spec, status) are never None. Unset objects are not encoded. Lists and
  maps that were received empty are sent back empty (`empties`).
- A time that msgspec would write with another text (nanoseconds, `+00:00`) is a `ReadTime`, which
  keeps its text.
"""
