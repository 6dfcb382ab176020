"""Requests, responses, retries, watches and codecs.

The class to read decides the Accept header (`representations`): `PartialObjectMetadata` and `Table`
ask for metadata and tables. `codec` is the protocol of body formats; `json_codec` is the only one.
`watch_progress` decides after each connection whether to resume, wait or raise. `edit` makes the
patch of `edit()`: the difference between the object that was read and the changed one, with its
uid and resourceVersion as preconditions.
"""
