"""Verbs of kubectl as type checkers must see them: checked by mypy and pyright, never run.

Lines that must not type-check carry an ignore; an ignore that is not needed is an error too.
"""

from __future__ import annotations

from typing import assert_type

from kubeapi import AsyncClientset, Clientset
from kubeapi.apps.v1 import Deployment
from kubeapi.batch.v1 import CronJob, Job
from kubeapi.core.v1 import ConfigMap, Node, Pod, Service

from clientgen.runtime import aio, sync
from clientgen.runtime.models import Model, Unstructured


def objects_in_and_objects_out(k: Clientset, web: Deployment, thing: Unstructured) -> None:
    assert_type(sync.set_image(k, web, {"app": "web:2"}), Deployment)
    assert_type(sync.set_image(k, Deployment, "web", {"*": "web:2"}), Deployment)
    assert_type(sync.set_env(k, thing, {"A": None}, from_=ConfigMap()), Unstructured)
    assert_type(sync.set_resources(k, web, limits={"cpu": "1"}, dry_run=True), Deployment)
    assert_type(sync.label(k.rest, Pod, "web-0", {"a": "b"}, overwrite=True), Pod)
    assert_type(sync.taint(k, Node, "node-1", ["a-"]), Node)
    assert_type(sync.taint(k, "node-1", "a-"), Model | Unstructured)
    assert_type(sync.scale(k, web, 3, wait=60), Deployment)
    assert_type(sync.replace(k, web, force=True), Deployment)
    assert_type(sync.rollout_pause(k, Deployment, "web"), Deployment)


def new_objects_have_the_class_that_is_asked_for(k: Clientset, web: Deployment) -> None:
    assert_type(sync.expose(k, web, port=80), Model | Unstructured)
    assert_type(sync.expose(k, Deployment, "web", model=Service), Service)
    assert_type(sync.run(k, "shell", "busybox", model=Pod), Pod)
    assert_type(sync.create_job_from(k, CronJob, "nightly", "now", model=Job), Job)


async def asyncio(k: AsyncClientset, web: Deployment) -> None:
    assert_type(await aio.annotate(k, web, {"a": None}), Deployment)
    assert_type(await aio.run(k, "shell", "busybox"), Model | Unstructured)


def wrong(k: Clientset, web: Deployment) -> None:
    sync.set_image(k, web, {"app": 1})  # type: ignore[dict-item]  # pyright: ignore[reportArgumentType]
    sync.scale(k, web)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    sync.autoscale(k, web)  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
    sync.create_job_from(k, CronJob, "nightly")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue]
