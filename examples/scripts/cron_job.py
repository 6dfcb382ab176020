"""Creates a CronJob, changes its schedule, suspends it, lists and deletes it."""

from kubeapi import Clientset

with Clientset.from_config() as k:
    cron_jobs = k.batch_v1.cron_jobs(k.namespace)
    cron_jobs.create(
        {
            "metadata": {"name": "hello"},
            "spec": {
                "schedule": "*/1 * * * *",
                "jobTemplate": {
                    "spec": {
                        "template": {
                            "spec": {
                                "restartPolicy": "OnFailure",
                                "containers": [
                                    {
                                        "name": "hello",
                                        "image": "busybox:1.37",
                                        "command": ["sh", "-c", "date; echo hello"],
                                    }
                                ],
                            }
                        }
                    }
                },
            },
        }
    )
    cron_jobs.patch("hello", {"spec": {"schedule": "*/5 * * * *", "suspend": True}})
    for cron_job in cron_jobs.list():
        print(cron_job.metadata.name, cron_job.spec.schedule, cron_job.spec.suspend)
    cron_jobs.delete("hello")
