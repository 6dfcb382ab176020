"""Have the backups of one store go to another, with threads; `async_move.py`: with tasks.

python -m mover.move OLD NEW > moved.yaml
"""

from __future__ import annotations

import sys

from backups_client import Clientset
from backups_client.backups_example.v1 import Backup

from clientgen.runtime import split_key

from .decisions import Move, known_kinds, stores_of


def move_all(k: Clientset, move: Move) -> list[Backup]:
    """Move every backup that writes to the old store; gives them as they are then.

    Raises:
        NotFound: there is no new store.
        ValueError: the new store is for reading only.
    """
    store = k.backups_example_v1.backup_stores().get(move.new)
    if store.spec.read_only:
        raise ValueError(f"{move.new} is for reading only")
    with k.informers() as factory:
        backups = factory.backups_example_v1.backups()
        backups.add_index("store", stores_of)
        factory.start()
        factory.wait_for_sync()
        for each in backups.lister.failed():  # a method of ours: see expansions.py
            print(f"failed before: {each.metadata.name}", file=sys.stderr)
        keys = sorted(backups.indexer.index_keys("store", move.old))
    return [move_one(k, *split_key(key), move) for key in keys]


def move_one(k: Clientset, namespace: str, name: str, move: Move) -> Backup:
    """Move one; nobody works at it meanwhile."""
    backups = k.backups_example_v1.backups(namespace)
    runners = backups.set_runners(name, 0)
    try:
        backups.edit(name, move.in_spec)  # what the package does not know of stays
        backups.status(name).edit(move.in_status)
    finally:
        backups.set_runners(name, runners)
    return backups.get(name)


def main(old: str, new: str) -> None:
    """Move them, and print manifests of what has been moved."""
    with Clientset.from_config() as k:
        moved = move_all(k, Move(old, new))
    print(known_kinds().dump(moved, server_fields=False), end="")


if __name__ == "__main__":
    main(*sys.argv[1:])
