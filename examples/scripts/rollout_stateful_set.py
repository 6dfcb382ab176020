"""Updates a StatefulSet, lists its revisions and goes back to the first one."""

from kubeapi import Clientset

from clientgen.runtime.conditions import rolled_out
from clientgen.runtime.sync import rollout_undo

LABELS = {"app": "redis"}

with Clientset.from_config() as k:
    stateful_sets = k.apps_v1.stateful_sets(k.namespace)
    k.core_v1.services(k.namespace).apply(
        {
            "metadata": {"name": "redis"},
            "spec": {"clusterIP": "None", "selector": LABELS, "ports": [{"port": 6379}]},
        }
    )
    stateful_sets.apply(
        {
            "metadata": {"name": "redis"},
            "spec": {
                "serviceName": "redis",
                "selector": {"matchLabels": LABELS},
                "template": {
                    "metadata": {"labels": LABELS},
                    "spec": {"containers": [{"name": "redis", "image": "redis:8"}]},
                },
            },
        }
    )
    redis = stateful_sets.wait("redis", until=rolled_out, timeout=120)
    redis.spec.template.spec.containers[0].image = "redis:8.2"
    stateful_sets.update(redis)
    redis = stateful_sets.wait("redis", until=rolled_out, timeout=120)

    revisions = k.apps_v1.controller_revisions(k.namespace).list(label_selector=LABELS)
    for revision in sorted(revisions, key=lambda each: each.revision):
        print(revision.metadata.name, revision.revision)

    rollout_undo(k, redis, to_revision=1)
    redis = stateful_sets.wait("redis", until=rolled_out, timeout=120)
    print("back to", redis.spec.template.spec.containers[0].image)
