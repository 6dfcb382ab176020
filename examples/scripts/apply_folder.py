"""Applies every manifest of a folder, and waits until all of it is ready."""

from pathlib import Path

from kubeapi import Clientset

with Clientset.from_config() as k:
    print(k.manifests(Path(__file__).parent / "manifests").apply(wait=60))
