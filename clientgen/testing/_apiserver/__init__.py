"""A Kubernetes API server without sockets: a request in, an answer out.

A watch is answered by a `Stream`, a request for a version that does not exist yet by a `Deferred`.
The driver (`_fake`) waits, by a clock that tests can step. A request that needs a webhook raises
`webhook_calls.Unanswered`: the driver makes the calls and attempts the request again from its
start, with the same time and random numbers (`webhook_calls.Attempt`).

- The store keeps bytes. An object is encoded once, when it is written; a list joins bytes, an event
  is one line that all watches share. One counter numbers all writes.
- All updates and patches take the same path (`verbs.update.Update`): clean, set defaults, record
  field ownership, prepare, validate, and store if something changed.
- What differs by kind is its `Strategy` (`kinds/`). A custom kind has a `CustomStrategy`; nothing
  else asks whether a kind is custom.
- The OpenAPI document says which resources, verbs and fields there are. What it lacks (defaults,
  validation, columns, field selectors) is in `kinds/`.
- A request that cannot be served raises `Failure`, which is a Status.
- Background work is in `controllers/`, which watch the store. Workloads move on request only
  (`controllers/play`): a queue of keys, and a module per controller with `sync(key)`.
- Every request is hostile. What is read is bounded where it is read, and no work grows with the
  square of what a client sends (tests/testing/test_attacks.py, test_fuzz.py).
"""
