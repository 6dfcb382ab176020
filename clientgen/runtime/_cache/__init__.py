"""Caches of API objects: what the store of an informer holds, and when it changes.

Reflector -> deltas -> store (`indexer`, under `own_writes`) -> listers, and event handlers, which
have a queue each. A relist replaces the content in one step; handlers get the deletions first.

`storage` has the form in which a cache keeps objects: objects of a class, metadata, or objects
without a class. Of an entry of the store, the other modules read the metadata only.

Own writes are visible at once: the REST client passes answers to writes to the informers of the
same client (`written_caches`, `write_requests`, `write_answers`). `own_writes` shows them on top of
what the watch has delivered, until the watch delivers them. Handlers get only what the watch
delivers. The page own-writes of docs/internals has the facts.
"""
