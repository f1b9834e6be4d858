import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { reconcileBinding, reconcileRole } from "./reconcile";

const orch = vocabularyOf("orch");
const AUTOUPDATE = "rbac.authorization.orch.io/autoupdate";
const READ_PODS = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
const READ_ALL = { verbs: ["*"], apiGroups: [""], resources: ["*"] };
const WRITE_PODS = { verbs: ["create"], apiGroups: [""], resources: ["pods"] };

const wanted = role([READ_PODS]);

test("a role that is as it should be is left alone", () => {
  expect(reconcileRole(role([READ_PODS]), wanted, orch)).toBeUndefined();
});

test("permissions that are missing are added, those that operators added are kept", () => {
  expect(reconcileRole(role([WRITE_PODS]), wanted, orch)).toEqual(role([WRITE_PODS, READ_PODS]));
});

test("a permission that a broader one covers is not missing", () => {
  expect(reconcileRole(role([READ_ALL]), wanted, orch)).toBeUndefined();
});

test("a rule is missing when only a part of it is covered", () => {
  const part = { ...READ_PODS, verbs: ["get"] };
  expect(reconcileRole(role([part]), wanted, orch)).toEqual(role([part, READ_PODS]));
  const named = { ...READ_PODS, resourceNames: ["one"] };
  expect(reconcileRole(role([named]), wanted, orch)).toEqual(role([named, READ_PODS]));
});

test("an object with updates switched off is left alone", () => {
  const existing = role([], { [AUTOUPDATE]: "false" });
  expect(reconcileRole(existing, wanted, orch)).toBeUndefined();
});

test("labels and annotations are added where absent, and the stored values win", () => {
  const existing = role([READ_PODS], { own: "yes" }, { level: "mine" });
  const updated = reconcileRole(
    existing,
    role([READ_PODS], { [AUTOUPDATE]: "true" }, { level: "x", other: "y" }),
    orch,
  );
  expect(updated?.["metadata"]).toEqual({
    name: "r",
    annotations: { own: "yes", [AUTOUPDATE]: "true" },
    labels: { level: "mine", other: "y" },
  });
});

test("missing selectors of an aggregated role are added, and its rules left to aggregation", () => {
  const existing = { ...role([]), aggregationRule: { clusterRoleSelectors: [selector("mine")] } };
  const aggregated = { ...role([READ_PODS]), aggregationRule: { clusterRoleSelectors: [selector("view")] } };
  expect(reconcileRole(existing, aggregated, orch)).toEqual({
    ...role([]),
    aggregationRule: { clusterRoleSelectors: [selector("mine"), selector("view")] },
  });
});

test("an aggregation rule that is not wanted is removed", () => {
  const existing = { ...role([READ_PODS]), aggregationRule: { clusterRoleSelectors: [selector("mine")] } };
  expect(reconcileRole(existing, wanted, orch)).toEqual(role([READ_PODS]));
});

test("missing subjects are added to a binding, others kept", () => {
  const existing = binding("r", [{ kind: "User", name: "eve" }]);
  expect(reconcileBinding(existing, binding("r", [{ kind: "Group", name: "devs" }]), orch)).toEqual({
    kind: "update",
    object: binding("r", [
      { kind: "User", name: "eve" },
      { kind: "Group", name: "devs" },
    ]),
  });
});

test("a binding that is as it should be, or has updates switched off, is kept", () => {
  const devs = [{ kind: "Group", name: "devs" }];
  expect(reconcileBinding(binding("r", devs), binding("r", devs), orch)).toEqual({ kind: "keep" });
  const off = binding("other", [], { [AUTOUPDATE]: "false" });
  expect(reconcileBinding(off, binding("r", devs), orch)).toEqual({ kind: "keep" });
});

test("a binding to another role is replaced", () => {
  const right = binding("r", []);
  expect(reconcileBinding(binding("other", []), right, orch)).toEqual({ kind: "replace", object: right });
});

function role(rules: JsonObject[], annotations?: JsonObject, labels?: JsonObject): JsonObject {
  return { metadata: { name: "r", ...(annotations && { annotations }), ...(labels && { labels }) }, rules };
}

function binding(roleName: string, subjects: JsonObject[], annotations?: JsonObject): JsonObject {
  return {
    metadata: { name: "b", ...(annotations && { annotations }) },
    subjects,
    roleRef: { apiGroup: "rbac.authorization.orch.io", kind: "ClusterRole", name: roleName },
  };
}

function selector(value: string): JsonObject {
  return { matchLabels: { [value]: "true" } };
}
