"""What kubectl is asked about Secrets, certificates, roles and debugging, and our calls for it."""

from __future__ import annotations

import base64
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from kubeapi import Clientset
from kubeapi.certificates.v1 import CertificateSigningRequest
from kubeapi.core.v1 import Node, Pod

from clientgen.runtime import (
    new_config_map,
    new_docker_registry_secret,
    new_secret,
    new_tls_secret,
)
from clientgen.runtime.errors import ClientError
from clientgen.runtime.models import Unstructured
from clientgen.runtime.sync import auth_reconcile, certificate_approve, certificate_deny, debug

from .kubectl import Kubectl

Objects = list[dict[str, Any]]
REFUSED = (ClientError, OSError, ValueError)


def write_files(folder: Path) -> None:
    """Write the files of the cases, which are relative to the folder."""
    conf = folder / "conf"
    (conf / "sub").mkdir(parents=True)
    (conf / "sub" / "skipped").write_text("x")
    (conf / "app.ini").write_text("[app]\ncolour = <blue> & \u2028 green\n")
    (conf / "logo.bin").write_bytes(b"\x89PNG\xff\x00")
    (conf / "empty").touch()
    (conf / "link").symlink_to("app.ini")
    (folder / "bad key").write_text("x")
    (folder / "latin").write_bytes("na\u00efve".encode("latin-1"))
    (folder / "a.env").write_bytes(
        b"\xef\xbb\xbf# comment\n\n  A=1\r\nB=x=y \nEMPTY=\nCLIENTGEN_SET\nCLIENTGEN_UNSET\nC='q'\n"
    )
    (folder / "twice.env").write_text("A=1\nA=2\n")
    (folder / "wrong.env").write_text("A=1\n1B=2\n")
    (folder / "latin.env").write_bytes(b"A=\xff\n")
    authority = trustme.CA()
    for name in ("one", "two"):
        pair = authority.issue_cert(f"{name}.example.com")
        (folder / f"{name}.crt").write_bytes(b"".join(p.bytes() for p in pair.cert_chain_pems))
        (folder / f"{name}.key").write_bytes(pair.private_key_pem.bytes())
    (folder / "docker.json").write_text('{"auths": {}}')


@dataclass
class Case:
    """What kubectl is asked, and our call for it.

    Attributes:
        about: the plural and a part of the name of the objects to compare.
        command: the arguments of kubectl; of several commands, with `;` between them.
        call: our call; it gets the client.
        before: the objects that exist before.
        given: the manifests for `-f -`.
        refused: whether both refuse.
    """

    about: tuple[str, str]
    command: str
    call: Callable[[Clientset], object]
    before: Objects | None = None
    given: Objects | None = None
    refused: bool = False

    def set_up(self, k: Clientset) -> None:
        """Create the objects that exist before."""
        for obj in self.before or []:
            k.create(Unstructured(obj))

    def run_kubectl(self, kubectl: Kubectl) -> None:
        """Run the commands; the last one is refused, or not."""
        last = None
        for command in self.command.split(";"):
            words = [word.replace("\t", " ") for word in command.split(" ") if word]
            last = kubectl.run(*words, given=self.given)
        assert last is not None
        assert bool(last.returncode) is self.refused, last

    def run_ours(self, k: Clientset) -> None:
        """Make our call; it is refused, or not."""
        with pytest.raises(REFUSED) if self.refused else nullcontext():
            self.call(k)

    def left(self, k: Clientset) -> list[Any]:
        """Return the objects afterwards, without what differs from server to server."""
        return [normal(each) for each in self.found(k)]

    def found(self, k: Clientset) -> list[Unstructured]:
        """Return the objects whose names begin as the case says."""
        plural, name = self.about
        return [
            Unstructured.of(each)
            for each in k.dynamic.resource(plural).list()
            if each.metadata.name == name or each.metadata.name.startswith(f"{name}-")
        ]


def config_map(command: str, name: str, *, refused: bool = False, **more: Any) -> Case:
    """A case of `create configmap`."""
    return Case(
        ("configmaps", name),
        f"create configmap {name} {command}",
        lambda k: k.create(new_config_map(name, **more), namespace="shop"),
        refused=refused,
    )


def secret(command: str, name: str, *, refused: bool = False, **more: Any) -> Case:
    """A case of `create secret generic`."""
    return Case(
        ("secrets", name),
        f"create secret generic {name} {command}",
        lambda k: k.create(new_secret(name, **more), namespace="shop"),
        refused=refused,
    )


def tls(command: str, name: str, *, refused: bool = False, **more: Any) -> Case:
    """A case of `create secret tls`."""
    return Case(
        ("secrets", name),
        f"create secret tls {name} {command}",
        lambda k: k.create(new_tls_secret(name, **more), namespace="shop"),
        refused=refused,
    )


def registry(command: str, name: str, *, refused: bool = False, **more: Any) -> Case:
    """A case of `create secret docker-registry`."""
    return Case(
        ("secrets", name),
        f"create secret docker-registry {name} {command}",
        lambda k: k.create(new_docker_registry_secret(name, **more), namespace="shop"),
        refused=refused,
    )


DATA_CASES = {
    "cm empty": config_map("", "empty"),
    "cm files": config_map("--from-file=conf/app.ini", "one-file", files="conf/app.ini"),
    "cm named": config_map("--from-file=k=conf/app.ini", "named", files={"k": "conf/app.ini"}),
    "cm folder": config_map("--from-file=conf", "folder", files=Path("conf")),
    "cm binary": config_map("--from-file=latin", "binary", files=["latin"]),
    "cm literals": config_map(
        "--from-literal=a=1 --from-literal=b=x=y --from-literal=c=",
        "literals",
        literals={"a": "1", "b": "x=y", "c": ""},
    ),
    "cm env": config_map("--from-env-file=a.env", "env", env_files="a.env"),
    "cm hash": config_map("--append-hash", "hash", append_hash=True),
    "cm folder hash": config_map(
        "--from-file=conf --append-hash", "hash-folder", files="conf", append_hash=True
    ),
    "cm bad key": config_map("--from-file=bad\tkey", "bad-key", files="bad key", refused=True),
    "cm dots": config_map("--from-literal=..a=1", "dots", literals={"..a": "1"}, refused=True),
    "cm twice": config_map(
        "--from-file=conf/app.ini --from-literal=app.ini=1",
        "twice",
        files="conf/app.ini",
        literals={"app.ini": "1"},
        refused=True,
    ),
    "cm no file": config_map("--from-file=none", "no-file", files="none", refused=True),
    "cm env twice": config_map(
        "--from-env-file=twice.env", "env-twice", env_files="twice.env", refused=True
    ),
    "cm env wrong": config_map(
        "--from-env-file=wrong.env", "env-wrong", env_files="wrong.env", refused=True
    ),
    "cm env latin": config_map(
        "--from-env-file=latin.env", "env-latin", env_files="latin.env", refused=True
    ),
    "cm env folder": config_map(
        "--from-env-file=conf", "env-folder", env_files="conf", refused=True
    ),
    "cm env and more": config_map(
        "--from-env-file=a.env --from-literal=x=1",
        "env-more",
        env_files="a.env",
        literals={"x": "1"},
        refused=True,
    ),
    "secret files": secret("--from-file=conf", "files", files="conf"),
    "secret literals": secret(
        "--from-literal=user=me --type=example.com/login",
        "typed",
        literals={"user": "me"},
        type="example.com/login",
    ),
    "secret hash": secret(
        "--from-literal=a=1 --from-file=k=latin --append-hash",
        "secret-hash",
        literals={"a": "1"},
        files={"k": "latin"},
        append_hash=True,
    ),
    "secret env": secret("--from-env-file=a.env", "secret-env", env_files=["a.env"]),
    "secret twice": secret(
        "--from-literal=latin=1 --from-file=latin",
        "secret-twice",
        literals={"latin": "1"},
        files="latin",
        refused=True,
    ),
    "tls": tls("--cert=one.crt --key=one.key", "tls", cert="one.crt", key="one.key"),
    "tls hash": tls(
        "--cert=one.crt --key=one.key --append-hash",
        "tls-hash",
        cert="one.crt",
        key="one.key",
        append_hash=True,
    ),
    "tls mismatch": tls(
        "--cert=one.crt --key=two.key", "tls-mix", cert="one.crt", key="two.key", refused=True
    ),
    "tls no pem": tls(
        "--cert=latin --key=one.key", "tls-text", cert="latin", key="one.key", refused=True
    ),
    "registry": registry(
        "--docker-server=r.example.com --docker-username=me --docker-password=p<&>w",
        "registry",
        server="r.example.com",
        username="me",
        password="p<&>w",
    ),
    "registry mail": registry(
        "--docker-username=me --docker-password=pw --docker-email=me@example.com --append-hash",
        "registry-mail",
        username="me",
        password="pw",
        email="me@example.com",
        append_hash=True,
    ),
    "registry file": registry("--from-file=docker.json", "registry-file", config="docker.json"),
    "registry no password": registry(
        "--docker-username=me", "registry-bad", username="me", refused=True
    ),
}

# ---- certificates -------------------------------------------------------------------------------

KEY = ec.generate_private_key(ec.SECP256R1())
ANN = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ann")])
REQUEST = x509.CertificateSigningRequestBuilder(ANN).sign(KEY, hashes.SHA256())
PEM = REQUEST.public_bytes(serialization.Encoding.PEM)


def verdicts(name: str, *calls: str, refused: bool = False) -> Case:
    """A case of `certificate`: one verdict after another."""
    request = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name},
        "spec": {
            "request": base64.b64encode(PEM).decode(),
            "signerName": "example.com/signer",
            "usages": ["client auth"],
        },
    }

    def run(k: Clientset) -> None:
        for each in calls:
            verb = each.split()[0]
            call = certificate_approve if verb == "approve" else certificate_deny
            done = "approved" if verb == "approve" else "denied"
            message = f"This CSR was {done} by kubectl certificate {verb}."
            reason = f"Kubectl{verb.capitalize()}"
            csr = k.get(CertificateSigningRequest, name)
            call(k, csr, reason=reason, message=message, force="--force" in each)

    command = ";".join(f"certificate {each} {name}" for each in calls)
    return Case(("certificatesigningrequests", name), command, run, [request], refused=refused)


CERTIFICATE_CASES = {
    "approve": verdicts("approve", "approve"),
    "deny": verdicts("deny", "deny"),
    "approve twice": verdicts("again", "approve", "approve"),
    "approve by force": verdicts("force", "approve", "approve --force"),
    "approve denied": verdicts("denied", "deny", "approve", refused=True),
    "deny approved": verdicts("approved", "approve", "deny --force", refused=True),
}

# ---- roles --------------------------------------------------------------------------------------

RBAC = "rbac.authorization.k8s.io"


def rule(groups: str, resources: str, verbs: str, *names: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "apiGroups": groups.split(","),
        "resources": resources.split(","),
        "verbs": verbs.split(","),
    }
    return {**made, "resourceNames": [*names]} if names else made


def urls(paths: str, verbs: str = "get") -> dict[str, Any]:
    return {"nonResourceURLs": paths.split(","), "verbs": verbs.split(",")}


def role(name: str, *rules: dict[str, Any], kind: str = "ClusterRole", **more: Any) -> Any:
    metadata: dict[str, Any] = {"name": name, **more.pop("metadata", {})}
    if not kind.startswith("Cluster"):
        metadata.setdefault("namespace", "shop")
    made = {"apiVersion": f"{RBAC}/v1", "kind": kind, "metadata": metadata}
    return {**made, "rules": [*rules], **more}


def user(name: str) -> dict[str, str]:
    return {"apiGroup": RBAC, "kind": "User", "name": name}


def binding(
    name: str, *users: str, to: str = "view", kind: str = "RoleBinding", **more: Any
) -> Any:
    made = role(name, kind=kind, **more)
    del made["rules"]
    made["roleRef"] = {"apiGroup": RBAC, "kind": "ClusterRole", "name": to}
    return {**made, "subjects": [*map(user, users)]}


def reconciled(expected: dict[str, Any], before: Any = None, *flags: str) -> Case:
    """A case of `auth reconcile`."""
    metadata, kind = expected["metadata"], expected["kind"]
    removing = [each for each in flags if "remove" in each]
    options: dict[str, Any] = {each.removeprefix("--").replace("-", "_"): True for each in removing}

    def run(k: Clientset) -> None:
        auth_reconcile(k, Unstructured(expected), **options)

    return Case(
        (f"{kind.lower()}s", metadata["name"]),
        " ".join(("auth reconcile -f -", *flags)),
        run,
        [before] if before else None,
        [expected],
    )


PODS, ALL = rule("", "pods", "get,list"), rule("*", "*", "*")
AGGREGATION = {"clusterRoleSelectors": [{"matchLabels": {"a": "1"}}]}
MORE_AGGREGATION = {"clusterRoleSelectors": [{"matchLabels": {"b": "1"}}]}
LOCKED = {"annotations": {"rbac.authorization.kubernetes.io/autoupdate": "false"}}
NO_MORE = "--remove-extra-permissions"

ROLE_CASES = {
    "create": reconciled(role("r1", PODS)),
    "create with a namespace": reconciled(
        role("r2", PODS, kind="Role", metadata={"namespace": "made"}), None, "--namespace=made"
    ),
    "equal": reconciled(role("r3", PODS), role("r3", PODS)),
    "in other words": reconciled(
        role("r4", PODS), role("r4", rule("", "pods", "list"), rule("", "pods,nodes", "get"))
    ),
    "missing verb": reconciled(
        role("r5", rule(",apps", "pods,deployments", "get,list", "a", "b"), PODS),
        role("r5", rule("", "pods", "get"), rule("apps", "deployments", "*", "b")),
    ),
    "covered by all": reconciled(role("r6", PODS), role("r6", ALL)),
    "covered by any resource's log": reconciled(
        role("r7", rule("", "pods/log,pods", "get")), role("r7", rule("", "*/log", "get"))
    ),
    "urls": reconciled(
        role("r8", urls("/healthz,/metrics/a,/version", "get,post")),
        role("r8", urls("/metrics/*", "*"), urls("/version")),
    ),
    "names": reconciled(
        role("r9", rule("", "pods", "get")), role("r9", rule("", "pods", "get", "a"))
    ),
    "extra stays": reconciled(role("r10", PODS), role("r10", PODS, rule("", "nodes", "get"))),
    "extra goes": reconciled(role("r11", PODS), role("r11", PODS, ALL), NO_MORE),
    "labels": reconciled(
        role("r12", PODS, metadata={"labels": {"a": "1", "b": "1"}}),
        role("r12", PODS, metadata={"labels": {"a": "0", "c": "1"}}),
    ),
    "protected": reconciled(role("r13", PODS), role("r13", metadata=LOCKED)),
    "aggregation": reconciled(
        role("r14", aggregationRule=AGGREGATION), role("r14", aggregationRule=MORE_AGGREGATION)
    ),
    "aggregation goes": reconciled(role("r15", PODS), role("r15", aggregationRule=AGGREGATION)),
    "aggregation alone": reconciled(
        role("r16", aggregationRule=AGGREGATION),
        role("r16", aggregationRule=MORE_AGGREGATION),
        NO_MORE,
    ),
    "create binding": reconciled(binding("b1", "ann", "bob")),
    "missing subject": reconciled(binding("b2", "ann", "bob"), binding("b2", "bob", "cid")),
    "extra subject": reconciled(
        binding("b3", "ann", kind="ClusterRoleBinding"),
        binding("b3", "ann", "bob", kind="ClusterRoleBinding"),
        "--remove-extra-subjects",
    ),
    "extra subject stays": reconciled(binding("b4", "ann"), binding("b4", "ann", "bob"), NO_MORE),
    "other role": reconciled(binding("b5", "ann", to="edit"), binding("b5", "bob")),
}

# ---- debugging ----------------------------------------------------------------------------------

PROBE = {"exec": {"command": ["true"]}}


def debugged(name: str) -> dict[str, Any]:
    """A Pod with much that a copy may lose."""
    app = {
        "name": "app",
        "image": "app:1",
        "command": ["serve"],
        "args": ["--fast"],
        "stdin": True,
        "securityContext": {"capabilities": {"add": ["CHOWN"]}, "runAsUser": 1000},
        "livenessProbe": PROBE,
        "readinessProbe": PROBE,
        "startupProbe": PROBE,
    }
    metadata = {"name": name, "labels": {"app": "web"}, "annotations": {"a": "1"}}
    spec = {
        "nodeName": "node-1",
        "initContainers": [{"name": "init", "image": "init:1"}],
        "containers": [app, {"name": "log", "image": "log:1"}],
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**metadata, "namespace": "shop"},
        "spec": spec,
    }


def debugs(name: str, flags: str, *, refused: bool = False, **options: Any) -> Case:
    """A case of `debug` for a Pod."""
    return Case(
        ("pods", name),
        f"debug {name} {flags}",
        lambda k: debug(k, Pod, name, namespace="shop", **options),
        [debugged(name)],
        refused=refused,
    )


def debugs_node(profile: Any) -> Case:
    """A case of `debug` for a Node."""
    name = f"n-{profile}"
    return Case(
        ("pods", f"node-debugger-{name}"),
        f"debug node/{name} --image=busybox --profile={profile} --env=A=1 -- sh",
        lambda k: debug(
            *(k, Node, name),
            image="busybox",
            profile=profile,
            env={"A": "1"},
            command=["sh"],
            namespace="shop",
        ),
        [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}],
    )


PROFILES: list[Any] = ["general", "baseline", "restricted", "netadmin", "sysadmin", "legacy"]
DEBUG_CASES = {
    **{
        f"ephemeral {profile}": debugs(
            f"e-{profile}",
            f"--image=busybox --profile={profile} -c debugger --target=app",
            image="busybox",
            profile=profile,
            container="debugger",
            target_container="app",
        )
        for profile in PROFILES
    },
    **{
        f"copy {profile}": debugs(
            f"c-{profile}",
            f"--image=busybox --profile={profile} -c debugger --copy-to=c-{profile}-copy",
            image="busybox",
            profile=profile,
            container="debugger",
            copy_to=f"c-{profile}-copy",
        )
        for profile in PROFILES
    },
    **{f"node {profile}": debugs_node(profile) for profile in PROFILES},
    "ephemeral command": debugs(
        "e-command",
        "--image=busybox --profile=general -c d --image-pull-policy=Always --env=A=1 -- sh -c ls",
        image="busybox",
        container="d",
        image_pull_policy="Always",
        env={"A": "1"},
        command=["sh", "-c", "ls"],
    ),
    "ephemeral arguments": debugs(
        "e-args",
        "--image=busybox --profile=baseline -c d --arguments-only -- a b",
        image="busybox",
        container="d",
        profile="baseline",
        arguments_only=True,
        command=["a", "b"],
    ),
    "copy with other images": debugs(
        "c-images",
        "--copy-to=c-images-copy --profile=general --set-image=*=other,log=log:2 --same-node",
        copy_to="c-images-copy",
        set_image={"*": "other", "log": "log:2"},
        same_node=True,
    ),
    "copy with another command": debugs(
        "c-command",
        "--copy-to=c-command-copy --profile=netadmin -c app -- sh",
        copy_to="c-command-copy",
        container="app",
        profile="netadmin",
        command=["sh"],
    ),
    "copy in place of the pod": debugs(
        "c-replace",
        "--copy-to=c-replace-copy --replace --profile=restricted -c app --image=app:debug"
        " --share-processes=false",
        copy_to="c-replace-copy",
        replace=True,
        container="app",
        image="app:debug",
        profile="restricted",
        share_processes=False,
    ),
    "copy that keeps all": debugs(
        "c-keep",
        "--copy-to=c-keep-copy --profile=sysadmin --image=busybox -c d --keep-labels"
        " --keep-annotations --keep-liveness --keep-readiness --keep-startup",
        copy_to="c-keep-copy",
        profile="sysadmin",
        image="busybox",
        container="d",
        keep=["labels", "annotations", "liveness", "readiness", "startup"],
    ),
    "copy without init containers": debugs(
        "c-init",
        "--copy-to=c-init-copy --profile=general --image=busybox -c d --keep-init-containers=false",
        copy_to="c-init-copy",
        image="busybox",
        container="d",
        keep_init_containers=False,
    ),
    "no image": debugs("bad-1", "--profile=general", refused=True),
    "replace without a copy": debugs(
        "bad-2", "--image=busybox --replace", image="busybox", replace=True, refused=True
    ),
    "copy without a change": debugs("bad-3", "--copy-to=x", copy_to="x", refused=True),
    "command of nobody": debugs(
        "bad-4",
        "--copy-to=x --set-image=app=x -- sh",
        copy_to="x",
        set_image={"app": "x"},
        command=["sh"],
        refused=True,
    ),
    "target in a copy": debugs(
        "bad-5",
        "--copy-to=x --image=x --target=app",
        copy_to="x",
        image="x",
        target_container="app",
        refused=True,
    ),
    "unknown profile": debugs(
        "bad-6", "--image=x --profile=x", image="x", profile="x", refused=True
    ),
    "bad image": debugs("bad-7", "--image=Bad!", image="Bad!", refused=True),
    "bad policy": debugs(
        "bad-8",
        "--image=x --image-pull-policy=Maybe",
        image="x",
        image_pull_policy="Maybe",
        refused=True,
    ),
    "terminal without input": debugs("bad-9", "--image=x -t", image="x", tty=True, refused=True),
}

CASES = {**DATA_CASES, **CERTIFICATE_CASES, **ROLE_CASES, **DEBUG_CASES}


def normal(obj: dict[str, Any]) -> dict[str, Any]:
    metadata = {
        key: value
        for key, value in obj["metadata"].items()
        if key not in {"uid", "resourceVersion", "creationTimestamp", "managedFields"}
    }
    if metadata["name"].startswith("node-debugger-"):
        metadata["name"] = metadata["name"][:-5]
        metadata.pop("labels", None)  # kubectl 1.33 and newer set one
    for each in obj.get("status", {}).get("conditions", ()):
        for time in ("lastUpdateTime", "lastTransitionTime", "lastProbeTime"):
            each.pop(time, None)
    return {**obj, "metadata": metadata}
