"""Creates, reads, changes and deletes an object of a kind that has no class."""

from kubeapi import Clientset

with Clientset.from_config() as k:
    crontabs = k.dynamic.resource("crontabs.stable.example.com")
    crontabs.create({"metadata": {"name": "nightly"}, "spec": {"cronSpec": "0 3 * * *"}})
    print(crontabs.get("nightly")["spec"])
    print(crontabs.patch("nightly", {"spec": {"cronSpec": "0 4 * * *"}})["spec"])
    print(crontabs.patch("nightly", {"metadata": {"labels": {"team": "ops"}}}).metadata.labels)
    crontabs.delete("nightly")
