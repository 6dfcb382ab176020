"""Requests, responses, retries, watches and codecs.

The class of the result decides the Accept header (`representations`): `PartialObjectMetadata` and
`Table` request metadata and tables. `codec` is the protocol of body formats; `json_codec` is its
only implementation. `watch_progress` decides after each connection whether to resume, wait or
raise. `edit` creates the patch of `edit()`: the difference between the object before and after the
change, with the uid and resourceVersion as preconditions.
"""
