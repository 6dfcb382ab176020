"""Caches of API objects: the store of an informer, and the changes of its content.

A reflector delivers events (`reflector_state`). `deltas` applies the events to the store
(`indexer`) and returns notifications. Listers read the store. Each event handler has a queue of
notifications. A relist replaces the content of the store in one step; handlers get the deletions
first.

`storage` is the form in which a cache keeps objects: objects of a class, metadata, or objects
without a class. `compressed` keeps whole objects compressed. The other modules read only the
metadata of an entry of the store.

Caches show own writes at once: the REST client passes responses to writes to the informers of the
same client (`written_caches`, `write_requests`, `write_answers`). `own_writes` shows the written
objects on top of what the watch has delivered, until the watch delivers them. Handlers get only
what the watch delivers. The page own-writes of docs/internals has the facts.
"""
