"""The kinds that are played, by the names of their collections."""

from __future__ import annotations

from typing import Final

CLAIMS: Final = "persistentvolumeclaims"
CONFIG_MAPS: Final = "configmaps"
CRON_JOBS: Final = "cronjobs.batch"
DAEMON_SETS: Final = "daemonsets.apps"
DEPLOYMENTS: Final = "deployments.apps"
DISRUPTION_BUDGETS: Final = "poddisruptionbudgets.policy"
ENDPOINTS: Final = "endpoints"
ENDPOINT_SLICES: Final = "endpointslices.discovery.k8s.io"
EVENTS: Final = "events"
JOBS: Final = "jobs.batch"
NAMESPACES: Final = "namespaces"
NODES: Final = "nodes"
PODS: Final = "pods"
QUOTAS: Final = "resourcequotas"
REPLICA_SETS: Final = "replicasets.apps"
REVISIONS: Final = "controllerrevisions.apps"
SERVICE_ACCOUNTS: Final = "serviceaccounts"
SERVICES: Final = "services"
STATEFUL_SETS: Final = "statefulsets.apps"
STORAGE_CLASSES: Final = "storageclasses.storage.k8s.io"
VOLUMES: Final = "persistentvolumes"
