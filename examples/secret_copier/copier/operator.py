"""The operator: python -m copier.operator."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import Any

import kubeapi
from kubeapi.core.v1 import Namespace, Secret

from clientgen.runtime import drop_managed_fields
from clientgen.runtime.aio import AsyncContext, AsyncFinalizer, AsyncManager
from clientgen.runtime.controllers import Request, labels_changed
from clientgen.runtime.errors import ApiError, NotFound, TerminalError

from .decisions import (
    COPY,
    FINALIZER,
    NAME,
    SOURCE,
    copy_for,
    is_open,
    is_relevant,
    is_source,
    key_of,
    source_of,
    sources_of,
    without_data,
)


class SecretCopier:
    """Keeps copies of Secrets in the namespaces that match their selectors."""

    def __init__(self, k: kubeapi.AsyncClientset, manager: AsyncManager) -> None:
        self._k = k
        self._secrets = manager.informer(Secret)
        self._secrets.add_index("source", lambda secret: [source_of(secret)])
        self._namespaces = manager.lister(Namespace)
        self._finalizer = AsyncFinalizer(k, FINALIZER, self._clean)

    async def reconcile(self, context: AsyncContext[Secret]) -> None:
        """Bring the copies of one Secret up to date."""
        secret = context.object
        if secret is None:  # somebody took the finalizer away
            await self._remove(str(context.request), keep=())
        elif not is_source(secret):
            await self._finalizer.release(secret)
        elif (source := await self._finalizer.ensure(secret)) is not None:
            targets = self._targets(source)
            await self._remove(key_of(source), keep=targets)
            await self._copy_all(context, source, targets)

    def every_source(self, _: Namespace) -> list[Request]:
        """What to look at when a namespace has changed: any source may match it."""
        secrets = self._secrets.indexer.list()
        return [
            Request(each.metadata.namespace, each.metadata.name)
            for each in secrets
            if is_source(each)
        ]

    def _targets(self, source: Secret) -> list[str]:
        selector = source.metadata.annotations.get(SOURCE)
        if selector is None:
            return []
        try:
            matching = self._namespaces.list(selector)
        except ValueError as error:
            raise TerminalError(f"the annotation {SOURCE} is no selector: {error}") from error
        names = [each.metadata.name for each in matching if is_open(each)]
        return [name for name in names if name != source.metadata.namespace]

    async def _copy_all(
        self, context: AsyncContext[Secret], source: Secret, targets: list[str]
    ) -> None:
        """Copy to every namespace, also if one of them refuses it."""
        problems: list[ApiError] = []
        for namespace in targets:
            try:
                await self._copy(context, source, namespace)
            except ApiError as error:
                problems.append(error)
        if problems:
            raise problems[0]  # all of it is tried again

    async def _copy(self, context: AsyncContext[Secret], source: Secret, namespace: str) -> None:
        wanted = copy_for(source, namespace)
        present = self._secrets.indexer.get(key_of(wanted))
        if present is None:
            await self._k.create(wanted, field_manager=NAME)  # AlreadyExists: tried again later
        elif source_of(present) != key_of(source):
            context.log.warning("%s/%s is no copy, and is left alone", namespace, context.name)
        elif present.type != wanted.type:  # a type never changes
            await self._delete(present)
        else:
            await self._k.apply(wanted, field_manager=NAME, force=True)

    async def _clean(self, source: Secret) -> None:
        """Remove all copies. The server is asked, as the cache may not know the newest yet."""
        async for secret in self._k.each(Secret, label_selector=COPY):
            if source_of(secret) == key_of(source):
                await self._delete(secret)

    async def _remove(self, key: str, *, keep: list[str] | tuple[()]) -> None:
        for copy in self._secrets.indexer.by_index("source", key):
            if copy.metadata.namespace not in keep:
                await self._delete(copy)

    async def _delete(self, copy: Secret) -> None:
        with suppress(NotFound):  # the cache does not know yet
            await self._k.delete(copy, uid=copy.metadata.uid)


def make_manager(k: kubeapi.AsyncClientset, **options: Any) -> AsyncManager:
    """Copies Secrets to other namespaces."""
    manager = AsyncManager(k, informers={"transform": trimmed}, **options)
    copier = SecretCopier(k, manager)
    controller = manager.controller(NAME, copier.reconcile)
    controller.for_(Secret).when(is_relevant)
    controller.watches(Secret, sources_of)
    controller.watches(Namespace, copier.every_source).when(labels_changed)
    return manager


def trimmed(obj: Any) -> Any:
    """Drop what the cache is not needed for."""
    if isinstance(obj, Secret):
        without_data(obj)
    return drop_managed_fields(obj)


async def main() -> None:
    """Work until the program is told to stop."""
    logging.basicConfig(level=logging.INFO)
    async with kubeapi.AsyncClientset.from_config() as k:
        await make_manager(k, leader_election=NAME, metrics=":8080", health=":8081").run()


if __name__ == "__main__":
    asyncio.run(main())
