"""Annotates a Deployment."""

import sys

from kubeapi import Clientset

with Clientset.from_config() as k:
    web = k.apps_v1.deployments(k.namespace).patch(
        sys.argv[1],
        {"metadata": {"annotations": {"example.com/team": "shop", "example.com/tier": "5"}}},
    )
    print(web.metadata.annotations)
