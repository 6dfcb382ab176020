"""Methods of our own on the generated client and lister of Backups; clientgen.toml names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from backups_client.backups_example.v1 import Backup
    from kubeapi.autoscaling.v1 import Scale
    from kubeapi.autoscaling.v1.manifests import ScaleManifest

    from clientgen.runtime.aio import AsyncSubresource
    from clientgen.runtime.sync import Subresource


class Client(Protocol):
    """What our method needs of the client it becomes part of."""

    def scale(self, name: str, /) -> Subresource[Scale, ScaleManifest]:
        """How many runners work at a backup."""
        ...


class AsyncClient(Protocol):
    """The same of the asyncio one."""

    def scale(self, name: str, /) -> AsyncSubresource[Scale, ScaleManifest]:
        """How many runners work at a backup."""
        ...


class Lister(Protocol):
    """And of the lister."""

    def list(self) -> list[Backup]:
        """All there are."""
        ...


class BackupExpansion:
    """Mixed into BackupClient."""

    def set_runners(self: Client, name: str, runners: int) -> int:
        """Have so many work at a backup; gives how many did before."""
        before = self.scale(name).get().spec.replicas

        def change(scale: Scale) -> None:
            scale.spec.replicas = runners

        self.scale(name).edit(change)
        return before or 0


class AsyncBackupExpansion:
    """Mixed into AsyncBackupClient."""

    async def set_runners(self: AsyncClient, name: str, runners: int) -> int:
        """Have so many work at a backup; gives how many did before."""
        before = (await self.scale(name).get()).spec.replicas

        def change(scale: Scale) -> None:
            scale.spec.replicas = runners

        await self.scale(name).edit(change)
        return before or 0


class BackupListerExpansion:
    """Mixed into BackupLister."""

    def failed(self: Lister) -> list[Backup]:
        """Every backup whose last run went wrong."""
        return [backup for backup in self.list() if backup.status.phase == "Failed"]
