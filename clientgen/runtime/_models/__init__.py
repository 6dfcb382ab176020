"""Model classes, and the codec that converts them from and to JSON.

- Models are msgspec structs. `model_codec` decodes a whole page in one call. If that fails (a null
  list, an unknown field), `lenient_decoder` reads the object field by field. Unknown fields live in
  subclasses that are made at run time, so they are encoded, copied and compared, too.
- Objects without a class are `Unstructured`: dicts, of which only the top is wrapped.
- `auto` fields (metadata, spec, status) are never None. They are encoded once somebody set them.
  Lists and maps that were empty when they were read are sent back empty (`empties`).
- A time whose text would be written in another way (nanoseconds, `+00:00`) is a `ReadTime`, which
  remembers its text.
"""
