"""What a program does with Debian's client library for Python, unmodified: python-client.py SCENARIO. Fails with an exception.

In the environment: SERVER, its CA file and a bearer TOKEN.
"""

import base64
import inspect
import os
import sys

from kubernetes import client, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "default"
LABELS = {"app": "web"}

# Alpha groups are off by default. Of the beta versions of autoscalers this library reads only those that a controller has seen.
NOT_READ = ("alpha", "InternalApiserver", "AutoscalingV2beta")
# Nothing is kept of this kind.
NOT_LISTED = ("list_component_status",)


def connect():
    settings = client.Configuration()
    settings.host = os.environ["SERVER"]
    settings.ssl_ca_cert = os.environ["CA"]
    settings.api_key = {"authorization": "Bearer " + os.environ["TOKEN"]}
    return client.ApiClient(settings)


def same(found, expected):
    assert found == expected, f"{found!r} is not {expected!r}"


def fails_with(status, reason, call):
    try:
        call()
    except ApiException as error:
        same((error.status, client.ApiClient().deserialize(Body(error.body), object)["reason"]), (status, reason))
        return
    raise AssertionError(f"it did not fail with {status} {reason}")


class Body:
    """What the client's own reader of answers takes."""

    def __init__(self, text):
        self.data = text


def template():
    return client.V1PodTemplateSpec(
        metadata=client.V1ObjectMeta(labels=LABELS),
        spec=client.V1PodSpec(
            containers=[
                client.V1Container(
                    name="web",
                    image="web:1",
                    ports=[client.V1ContainerPort(container_port=8080)],
                    resources=client.V1ResourceRequirements(requests={"cpu": "0.1", "memory": "1024Mi"}),
                )
            ]
        ),
    )


def meta(name):
    return client.V1ObjectMeta(name=name, labels=LABELS, annotations={"example.com/step": "1"})


def exercise(kind, body, patch, patched):
    """Creates, reads, lists, patches and deletes, and watches it all from where the list was.

    kind: (API, name in the names of its methods); patched: what must hold of the object then.
    """
    api, noun = kind
    method = lambda verb: getattr(api, f"{verb}_namespaced_{noun}")
    name = body.metadata.name
    start = method("list")(NAMESPACE).metadata.resource_version

    created = method("create")(NAMESPACE, body)
    same(type(created), type(body))
    assert created.metadata.uid and created.metadata.creation_timestamp.tzinfo is not None
    fails_with(409, "AlreadyExists", lambda: method("create")(NAMESPACE, body))

    same(method("read")(name, NAMESPACE).metadata.uid, created.metadata.uid)
    listed = method("list")(NAMESPACE, label_selector="app=web")
    same([item.metadata.name for item in listed.items], [name])
    everywhere = getattr(api, f"list_{noun}_for_all_namespaces")(field_selector=f"metadata.name={name}", limit=1)
    same([item.metadata.name for item in everywhere.items], [name])

    patched(method("patch")(name, NAMESPACE, patch))
    operations = [{"op": "replace", "path": "/metadata/annotations/example.com~1step", "value": "2"}]
    same(method("patch")(name, NAMESPACE, operations).metadata.annotations["example.com/step"], "2")

    current = method("read")(name, NAMESPACE)
    current.metadata.annotations["example.com/step"] = "3"
    replaced = method("replace")(name, NAMESPACE, current)
    same(replaced.metadata.annotations["example.com/step"], "3")
    current.metadata.resource_version = created.metadata.resource_version
    fails_with(409, "Conflict", lambda: method("replace")(name, NAMESPACE, current))

    method("delete")(name, NAMESPACE, body=client.V1DeleteOptions(grace_period_seconds=0))
    fails_with(404, "NotFound", lambda: method("read")(name, NAMESPACE))

    seen = []
    watching = watch.Watch()
    for event in watching.stream(method("list"), NAMESPACE, resource_version=start, timeout_seconds=30):
        same(type(event["object"]), type(body))
        seen.append((event["type"], (event["object"].metadata.annotations or {}).get("example.com/step")))
        if event["type"] == "DELETED":
            watching.stop()
    same([seen[0], seen[-1]], [("ADDED", "1"), ("DELETED", "3")])
    same({("MODIFIED", "1"), ("MODIFIED", "2"), ("MODIFIED", "3")} - set(seen), set())


def pods(api):
    pod = client.V1Pod(metadata=meta("web"), spec=template().spec)

    def patched(object):
        same([container.image for container in object.spec.containers], ["web:2"])
        same(object.spec.containers[0].resources.requests, {"cpu": "100m", "memory": "1Gi"})
        same(object.status.phase, "Pending")

    exercise((client.CoreV1Api(api), "pod"), pod, {"spec": {"containers": [{"name": "web", "image": "web:2"}]}}, patched)


def deployments(api):
    apps = client.AppsV1Api(api)
    spec = client.V1DeploymentSpec(
        replicas=1, selector=client.V1LabelSelector(match_labels=LABELS), template=template()
    )

    def patched(object):
        same((object.spec.replicas, object.spec.strategy.rolling_update.max_surge), (3, "25%"))
        scale = apps.read_namespaced_deployment_scale("web", NAMESPACE)
        same((scale.spec.replicas, scale.status.selector), (3, "app=web"))

    exercise((apps, "deployment"), client.V1Deployment(metadata=meta("web"), spec=spec), {"spec": {"replicas": 3}}, patched)


def config_maps(api):
    body = client.V1ConfigMap(metadata=meta("web"), data={"kept": "1", "removed": "1"}, binary_data={"key": "AAE="})

    def patched(object):
        same((object.data, object.binary_data), ({"kept": "1", "new": "2"}, {"key": "AAE="}))

    exercise((client.CoreV1Api(api), "config_map"), body, {"data": {"removed": None, "new": "2"}}, patched)


def custom_objects(api):
    """The untyped part of the library, which takes the names of any group, version and resource."""
    custom = client.CustomObjectsApi(api)
    leases = ("coordination.k8s.io", "v1", NAMESPACE, "leases")
    start = custom.list_namespaced_custom_object(*leases)["metadata"]["resourceVersion"]
    body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "turn", "labels": LABELS}}
    created = custom.create_namespaced_custom_object(*leases, {**body, "spec": {"holderIdentity": "one"}})
    same(created["spec"], {"holderIdentity": "one"})
    patched = custom.patch_namespaced_custom_object(*leases, "turn", {"spec": {"holderIdentity": "two"}})
    same((patched["metadata"]["uid"], patched["spec"]), (created["metadata"]["uid"], {"holderIdentity": "two"}))
    patched["spec"]["leaseDurationSeconds"] = 15
    custom.replace_namespaced_custom_object(*leases, "turn", patched)
    listed = custom.list_namespaced_custom_object(*leases, label_selector="app=web")
    same([item["spec"] for item in listed["items"]], [{"holderIdentity": "two", "leaseDurationSeconds": 15}])
    everywhere = custom.list_cluster_custom_object("coordination.k8s.io", "v1", "leases", label_selector="app=web")
    same([item["metadata"]["name"] for item in everywhere["items"]], ["turn"])

    deployment = {
        "metadata": {"name": "custom"},
        "spec": {"selector": {"matchLabels": LABELS}, "template": api.sanitize_for_serialization(template())},
    }
    of_deployments = ("apps", "v1", NAMESPACE, "deployments")
    custom.create_namespaced_custom_object(*of_deployments, {**deployment, "apiVersion": "apps/v1", "kind": "Deployment"})
    scaled = custom.patch_namespaced_custom_object_scale(*of_deployments, "custom", {"spec": {"replicas": 4}})
    same((scaled["kind"], scaled["spec"]["replicas"]), ("Scale", 4))
    custom.patch_namespaced_custom_object_status(*of_deployments, "custom", {"status": {"replicas": 4}})
    same(custom.get_namespaced_custom_object_status(*of_deployments, "custom")["status"]["replicas"], 4)
    custom.delete_namespaced_custom_object(*of_deployments, "custom")

    custom.delete_namespaced_custom_object(*leases, "turn")
    seen = []
    watching = watch.Watch()
    stream = watching.stream(custom.list_namespaced_custom_object, *leases, resource_version=start, timeout_seconds=30)
    for event in stream:
        seen.append((event["type"], event["object"]["spec"]["holderIdentity"]))
        if event["type"] == "DELETED":
            watching.stop()
    same(seen, [("ADDED", "one"), ("MODIFIED", "two"), ("MODIFIED", "two"), ("DELETED", "two")])


REQUEST = """-----BEGIN CERTIFICATE REQUEST-----
MIHWMH4CAQAwHDEMMAoGA1UECgwDZGV2MQwwCgYDVQQDDANhbm4wWTATBgcqhkjO
PQIBBggqhkjOPQMBBwNCAASODMtdqki0CKz8thUTLgOgDsokcWvQOKZy85eerwdi
UyZmjRBXp8vs4yhloH+WfUMGDxS+8S9cM6+Z2wmQJ+ZIoAAwCgYIKoZIzj0EAwID
SAAwRQIgHLb2bk0k1CPXqgltkdew4s0FeT7l0z0mJeP7UflYIfICIQCUWtqdiZDZ
3AIoQUqgER4Y0r1T4pvrrOW7V3YDroRmGA==
-----END CERTIFICATE REQUEST-----
"""


def certificates(api):
    """As `kubectl certificate approve` and `deny` do."""
    certificates = client.CertificatesV1Api(api)
    for name, decision, other in (("yes", "Approved", "Denied"), ("no", "Denied", "Approved")):
        spec = client.V1CertificateSigningRequestSpec(
            request=base64.b64encode(REQUEST.encode()).decode(),
            signer_name="kubernetes.io/kube-apiserver-client",
            usages=["client auth"],
        )
        made = certificates.create_certificate_signing_request(
            client.V1CertificateSigningRequest(metadata=meta(name), spec=spec)
        )
        same((made.spec.username, made.status.conditions), ("admin", None))

        def decided(type):
            return client.V1CertificateSigningRequestCondition(type=type, status="True", reason="Known", message="m")

        made.status = client.V1CertificateSigningRequestStatus(conditions=[decided(decision)])
        answer = certificates.replace_certificate_signing_request_approval(name, made)
        same([(each.type, each.reason) for each in answer.status.conditions], [(decision, "Known")])
        assert answer.status.conditions[0].last_update_time
        answer.status.conditions.append(decided(other))
        fails_with(422, "Invalid", lambda: certificates.replace_certificate_signing_request_approval(name, answer))


def every_kind(api):
    """Its models check what they read: every required field must be there, with a value of the kind that it may have."""
    kinds = set()
    for _name, group in inspect.getmembers(client, inspect.isclass):
        if not group.__name__.endswith("Api") or any(part in group.__name__ for part in NOT_READ):
            continue
        for name, method in inspect.getmembers(group(api), inspect.ismethod):
            if name == "get_api_resources":
                assert method().resources, group.__name__
            if name == "get_api_group":
                assert method().preferred_version.group_version, group.__name__
            # Those of one namespace answer the same as those of all.
            if name.startswith("list_") and "namespaced" not in name and name not in NOT_LISTED and whole(name):
                kinds.update((type(item).__name__, item.metadata.name) for item in method().items)
    assert len({kind for kind, _ in kinds}) > 50, sorted(kinds)
    assert client.VersionApi(api).get_code().git_version.startswith("v1.")


def whole(name):
    return not name.endswith("_with_http_info") and "custom_object" not in name


if __name__ == "__main__":
    every = (pods, deployments, config_maps, custom_objects, certificates, every_kind)
    scenarios = {each.__name__: each for each in every}
    scenarios[sys.argv[1]](connect())
