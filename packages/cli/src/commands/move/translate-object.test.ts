import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { ObjectTranslation } from "./translate-object";

const translated = (object: JsonObject) => {
  const translation = new ObjectTranslation("kubernetes", "orch");
  return { object: translation.object(object), kept: Object.fromEntries(translation.kept) };
};

describe("names in objects", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "a namespace",
      {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "kube-system", labels: { "kubernetes.io/metadata.name": "kube-system" } },
        spec: { finalizers: ["kubernetes"] },
      },
      {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "orch-system", labels: { "orch.io/metadata.name": "orch-system" } },
        spec: { finalizers: ["orch"] },
      },
    ],
    [
      "a binding",
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "a" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:kube-scheduler" },
        subjects: [{ kind: "ServiceAccount", name: "kubelet", namespace: "kube-system" }],
      },
      {
        apiVersion: "rbac.authorization.orch.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "a" },
        roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: "system:orch-scheduler" },
        subjects: [{ kind: "ServiceAccount", name: "kubelet", namespace: "orch-system" }],
      },
    ],
    [
      "a trust bundle",
      {
        apiVersion: "certificates.k8s.io/v1beta1",
        kind: "ClusterTrustBundle",
        metadata: { name: "kubernetes.io:kube-apiserver-serving:a" },
        spec: { signerName: "kubernetes.io/kube-apiserver-serving" },
      },
      {
        apiVersion: "certificates.orch.io/v1beta1",
        kind: "ClusterTrustBundle",
        metadata: { name: "orch.io:apiserver-serving:a" },
        spec: { signerName: "orch.io/apiserver-serving" },
      },
    ],
  ])("%s", (_, before, after) => {
    expect(translated(before)).toEqual({ object: after, kept: {} });
  });

  test("an applied configuration is an object of its own", () => {
    const key = "kubectl.kubernetes.io/last-applied-configuration";
    const applied = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", handler: "x" };
    const { object } = translated({ ...applied, metadata: { annotations: { [key]: `${JSON.stringify(applied)}\n` } } });
    expect(object["metadata"]).toEqual({
      annotations: {
        "orchctl.orch.io/last-applied-configuration": `${JSON.stringify({ ...applied, apiVersion: "node.orch.io/v1" })}\n`,
      },
    });
  });

  test("data and expressions stay, and are reported", () => {
    const map = { apiVersion: "v1", kind: "ConfigMap", data: { a: "kubernetes.io/os", b: "no name" } };
    expect(translated(map)).toEqual({ object: map, kept: { "kubernetes.io/os": 1 } });
    const gateway = { apiVersion: "gateway.networking.k8s.io/v1", kind: "Gateway", spec: { expression: "a == 'x'" } };
    expect(translated(gateway)).toEqual({ object: gateway, kept: { "gateway.networking.k8s.io/v1": 1 } });
  });
});
