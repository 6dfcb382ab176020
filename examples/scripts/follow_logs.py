"""Follows the logs of a Deployment for some seconds."""

import sys

from kubeapi import Clientset
from kubeapi.apps.v1 import Deployment

from clientgen.runtime.sync import tail

with Clientset.from_config() as k, tail(k, Deployment, "web", seconds=float(sys.argv[1])) as lines:
    for line in lines:
        print(line)
