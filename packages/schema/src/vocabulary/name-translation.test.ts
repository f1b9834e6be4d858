import { describe, expect, test } from "@jest/globals";
import { NameTranslation } from "./name-translation";
import { VOCABULARY_NAMES, vocabularyOf } from "./vocabulary";

const [own, other] = VOCABULARY_NAMES.map((name) => vocabularyOf(name)) as [
  ReturnType<typeof vocabularyOf>,
  ReturnType<typeof vocabularyOf>,
];
const toOwn = new NameTranslation("kubernetes", "orch");
const toOther = new NameTranslation("orch", "kubernetes");

test.each([
  ["kubernetes.io/metadata.name", "orch.io/metadata.name"],
  ["node-role.kubernetes.io/storage", "node-role.orch.io/storage"],
  ["app.kubernetes.io/name", "app.orch.io/name"],
  ["gold.storageclass.storage.k8s.io/requests.storage", "gold.storageclass.storage.orch.io/requests.storage"],
  ["count/roles.rbac.authorization.k8s.io", "count/roles.rbac.authorization.orch.io"],
  ["volumesnapshots.snapshot.storage.k8s.io", "volumesnapshots.snapshot.storage.orch.io"],
  ["system:serviceaccount:kube-system:builder", "system:serviceaccount:orch-system:builder"],
  ["kube-api-access-x7x2b", "orch-api-access-x7x2b"],
  ["kube-root-ca.crt", "orch-root-ca.crt"],
  ["x-kubernetes-int-or-string", "x-orch-int-or-string"],
])("the name %s is %s in the other vocabulary, and comes back", (name, translated) => {
  expect(toOwn.name(name)).toBe(translated);
  expect(toOther.name(translated)).toBe(name);
});

test.each(["kubernetes", "kube-system", "kubelet", "example.com/kubernetes.io", "gateway.networking.k8s.io.example"])(
  "the text %s is no name and stays",
  (text) => {
    expect(toOwn.name(text)).toBe(text);
  },
);

describe("names of positions", () => {
  test("namespaces, finalizers, groups, users and managers are translated in their own positions", () => {
    expect(toOwn.namespace(other.namespaces.system)).toBe(own.namespaces.system);
    expect(toOwn.finalizer("kubernetes")).toBe("orch");
    expect(toOwn.apiVersion(`${other.groups.rbac}/v1`)).toBe(`${own.groups.rbac}/v1`);
    expect(toOwn.apiVersion("v1")).toBe("v1");
    expect(toOwn.group("apps")).toBe("apps");
    expect(toOwn.accessName(other.users.scheduler)).toBe(own.users.scheduler);
    expect(toOwn.flowSchema(other.flowSchemas.scheduler)).toBe(own.flowSchemas.scheduler);
    expect(toOwn.fieldManager(other.fieldManagers.orchctl)).toBe(own.fieldManagers.orchctl);
  });
});

test.each([
  ["gateway.networking.k8s.io/v1", "gateway.networking.k8s.io/v1"],
  ["object.metadata.labels['kubernetes.io/os'] == 'linux'", "kubernetes.io/os"],
  ["no name", undefined],
  ["mykubernetes.io", undefined],
])("%s mentions %s", (text, name) => {
  expect(toOwn.mentioned(text)).toBe(name);
});
