// Which webhooks are called for a request, and with which resource and kind. Source: Kubernetes documentation, "Dynamic
// Admission Control".
import { expect, test } from "@jest/globals";
import type { Attributes } from "@orch/auth";
import type { AdmissionOperation } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import {
  type AskedOf,
  askedOf,
  fakeWebhooks,
  pass,
  validating,
  type WebhookParts,
  webhook,
} from "../testing/fake-webhooks";

type Row = readonly [what: string, webhook: WebhookParts, asked: AskedOf, seen: string | false];

const rule = (parts: object = {}) => ({
  rules: [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"], scope: "*", ...parts }],
});
const rules = (...all: readonly object[]) => ({ rules: all.flatMap((each) => rule(each).rules) });
const resources = (...names: string[]) => rule({ resources: names });

const CONFIG_MAP = "/v1 configmaps ConfigMap";
const POD = "/v1 pods Pod";
const EVICTION = { plural: "pods", subresource: "eviction", kind: { apiVersion: "policy/v1", kind: "Eviction" } };
const BINDING = { plural: "pods", subresource: "binding", kind: { apiVersion: "v1", kind: "Binding" } };
const EXEC: AskedOf = {
  operation: "CONNECT",
  plural: "pods",
  subresource: "exec",
  kind: { apiVersion: "v1", kind: "PodExecOptions" },
  object: { kind: "PodExecOptions", apiVersion: "v1", command: ["ls"] },
};
const SCALE: AskedOf = {
  operation: "UPDATE",
  plural: "deployments",
  group: "apps",
  subresource: "scale",
  kind: { apiVersion: "autoscaling/v1", kind: "Scale" },
};
const STATUS: AskedOf = { operation: "UPDATE", plural: "pods", subresource: "status" };
const NODE: AskedOf = { plural: "nodes" };

const labelled = (labels: object, name = "a"): JsonObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name, namespace: "shop", labels: { ...labels } },
});
const of = (namespace: string): AskedOf => ({ namespace });
const namespaceOf = (labels: object) =>
  ({ kind: "Namespace", apiVersion: "v1", metadata: { name: "shop", labels } }) as JsonObject;
const select = (matchLabels: object) => ({ matchLabels });
const NAMESPACES: AskedOf = { plural: "namespaces", name: "shop" };

const operationRows = (["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).flatMap((asked): Row[] =>
  (["CREATE", "UPDATE", "DELETE", "CONNECT", "*"] as const).map((listed) => [
    `${asked} by a rule for ${listed}`,
    rule({ operations: [listed] }),
    asked === "CONNECT" ? EXEC : { operation: asked as AdmissionOperation },
    listed === "*" || listed === asked ? (asked === "CONNECT" ? "/v1 pods/exec PodExecOptions" : CONFIG_MAP) : false,
  ]),
);

const resourceRows: readonly Row[] = [
  ["its own resource", resources("configmaps"), {}, CONFIG_MAP],
  ["another resource", resources("secrets"), {}, false],
  ["one of several", resources("secrets", "configmaps"), {}, CONFIG_MAP],
  ["any resource", resources("*"), {}, CONFIG_MAP],
  ["anything", resources("*/*"), {}, CONFIG_MAP],
  ["a resource, asked about a part", resources("pods"), STATUS, false],
  ["a part, asked about the resource", resources("pods/status"), { plural: "pods" }, false],
  ["a part", resources("pods/status"), STATUS, "/v1 pods/status Pod"],
  ["another part", resources("pods/log"), STATUS, false],
  ["any resource, asked about a part", resources("*"), STATUS, false],
  ["anything, asked about a part", resources("*/*"), STATUS, "/v1 pods/status Pod"],
  ["a resource and all its parts", resources("pods/*"), { plural: "pods" }, POD],
  ["a resource and all its parts, asked about one", resources("pods/*"), STATUS, "/v1 pods/status Pod"],
  ["another one and all its parts", resources("nodes/*"), STATUS, false],
  ["a part of anything", resources("*/status"), STATUS, "/v1 pods/status Pod"],
  ["a part of anything, asked about the resource", resources("*/status"), { plural: "pods" }, false],
  ["a part of anything, asked about another", resources("*/scale"), STATUS, false],
  ["evictions", resources("pods/eviction"), EVICTION, "/v1 pods/eviction Eviction"],
  ["bindings", resources("pods/binding"), BINDING, "/v1 pods/binding Binding"],
  ["commands", resources("pods/exec"), EXEC, "/v1 pods/exec PodExecOptions"],
  ["scales", resources("deployments/scale"), SCALE, "apps/v1 deployments/scale Scale"],
  ["any scale", resources("*/scale"), SCALE, "apps/v1 deployments/scale Scale"],
  ["the parent of a scale", resources("deployments"), SCALE, false],
  ["a name that only begins so", resources("config"), {}, false],
  ["no resource", resources(), {}, false],
  ["no rule", { rules: [] }, {}, false],
];

const APPS: AskedOf = { plural: "deployments", group: "apps" };
const groupRows: readonly Row[] = [
  ["the core group", rule({ apiGroups: [""] }), {}, CONFIG_MAP],
  ["the core group, asked about another", rule({ apiGroups: [""] }), APPS, false],
  ["any group", rule({ apiGroups: ["*"] }), APPS, "apps/v1 deployments Deployment"],
  ["its own group", rule({ apiGroups: ["apps"] }), APPS, "apps/v1 deployments Deployment"],
  ["one of several groups", rule({ apiGroups: ["", "apps"] }), APPS, "apps/v1 deployments Deployment"],
  ["another group", rule({ apiGroups: ["batch"] }), APPS, false],
  ["no group", rule({ apiGroups: [] }), APPS, false],
  ["its version", rule({ apiVersions: ["v1"] }), APPS, "apps/v1 deployments Deployment"],
  ["any version", rule({ apiVersions: ["*"] }), APPS, "apps/v1 deployments Deployment"],
  ["a version that nothing has", rule({ apiVersions: ["v9"] }), APPS, false],
  ["one of several versions", rule({ apiVersions: ["v9", "v1"] }), APPS, "apps/v1 deployments Deployment"],
  ["a group's name, asked by its first part", rule({ apiGroups: ["ap"] }), APPS, false],
];

const scopeRows: readonly Row[] = [
  ["namespaced, in a namespace", rule({ scope: "Namespaced" }), {}, CONFIG_MAP],
  ["namespaced, of the cluster", rule({ scope: "Namespaced" }), NODE, false],
  ["cluster, in a namespace", rule({ scope: "Cluster" }), {}, false],
  ["cluster, of the cluster", rule({ scope: "Cluster" }), NODE, "/v1 nodes Node"],
  ["any scope, in a namespace", rule({ scope: "*" }), {}, CONFIG_MAP],
  ["any scope, of the cluster", rule({ scope: "*" }), NODE, "/v1 nodes Node"],
  ["namespaced, a namespace itself", rule({ scope: "Namespaced" }), NAMESPACES, false],
  ["cluster, a namespace itself", rule({ scope: "Cluster" }), NAMESPACES, "/v1 namespaces Namespace"],
  ["namespaced, a part", rule({ scope: "Namespaced" }), STATUS, "/v1 pods/status Pod"],
  ["cluster, a part", rule({ scope: "Cluster" }), STATUS, false],
  ["no scope named", rule({ scope: undefined }), {}, CONFIG_MAP],
];

const severalRows: readonly Row[] = [
  ["the second of its rules", rules({ resources: ["secrets"] }, { resources: ["configmaps"] }), {}, CONFIG_MAP],
  ["none of its rules", rules({ resources: ["secrets"] }, { operations: ["DELETE"] }), {}, false],
  ["two rules, of which none says all", rules({ resources: ["secrets"] }, { apiVersions: ["v2"] }), {}, false],
];

const selectorRows: readonly Row[] = [
  ["everything", { namespaceSelector: {} }, {}, CONFIG_MAP],
  ["the namespace's labels", { namespaceSelector: select({ team: "sales" }) }, {}, CONFIG_MAP],
  ["other labels of the namespace", { namespaceSelector: select({ team: "ops" }) }, {}, false],
  ["labels that it has not", { namespaceSelector: select({ zone: "a" }) }, of("plain"), false],
  [
    "a label to be absent, where it is",
    { namespaceSelector: { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] } },
    of("plain"),
    CONFIG_MAP,
  ],
  [
    "a label to be absent, where it is not",
    { namespaceSelector: { matchExpressions: [{ key: "team", operator: "DoesNotExist" }] } },
    {},
    false,
  ],
  [
    "namespaces by label, asked about the cluster's",
    { namespaceSelector: select({ team: "ops" }) },
    NODE,
    "/v1 nodes Node",
  ],
  [
    "a new namespace by its own labels",
    { namespaceSelector: select({ a: "b" }) },
    { ...NAMESPACES, object: namespaceOf({ a: "b" }) },
    "/v1 namespaces Namespace",
  ],
  [
    "a new namespace by others",
    { namespaceSelector: select({ a: "c" }) },
    { ...NAMESPACES, object: namespaceOf({ a: "b" }) },
    false,
  ],
  [
    "a changed namespace by its new labels",
    { namespaceSelector: select({ a: "b" }) },
    { ...NAMESPACES, operation: "UPDATE", object: namespaceOf({ a: "b" }) },
    "/v1 namespaces Namespace",
  ],
  [
    "a changed namespace by its old labels",
    { namespaceSelector: select({ team: "sales" }) },
    { ...NAMESPACES, operation: "UPDATE", object: namespaceOf({ a: "b" }) },
    false,
  ],
  [
    "a namespace's deletion by its stored labels",
    { namespaceSelector: select({ team: "sales" }) },
    { ...NAMESPACES, operation: "DELETE" },
    "/v1 namespaces Namespace",
  ],
  [
    "a namespace's status by its stored labels",
    { namespaceSelector: select({ team: "sales" }) },
    { ...NAMESPACES, operation: "UPDATE", subresource: "status", object: namespaceOf({}) },
    "/v1 namespaces/status Namespace",
  ],
  [
    "a connection by its namespace",
    { namespaceSelector: select({ team: "sales" }) },
    EXEC,
    "/v1 pods/exec PodExecOptions",
  ],
  ["an object's labels", { objectSelector: select({ a: "b" }) }, { object: labelled({ a: "b" }) }, CONFIG_MAP],
  ["other labels", { objectSelector: select({ a: "b" }) }, { object: labelled({ a: "c" }) }, false],
  ["labels, where there are none", { objectSelector: select({ a: "b" }) }, {}, false],
  [
    "a label to be absent",
    { objectSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] } },
    {},
    CONFIG_MAP,
  ],
  [
    "the new labels",
    { objectSelector: select({ a: "b" }) },
    { operation: "UPDATE", object: labelled({ a: "b" }) },
    CONFIG_MAP,
  ],
  [
    "the old labels",
    { objectSelector: select({ a: "b" }) },
    { operation: "UPDATE", oldObject: labelled({ a: "b" }) },
    CONFIG_MAP,
  ],
  ["neither the new nor the old labels", { objectSelector: select({ a: "b" }) }, { operation: "UPDATE" }, false],
  [
    "the labels of what is deleted",
    { objectSelector: select({ a: "b" }) },
    { operation: "DELETE", oldObject: labelled({ a: "b" }) },
    CONFIG_MAP,
  ],
  ["other labels of what is deleted", { objectSelector: select({ a: "b" }) }, { operation: "DELETE" }, false],
  [
    "labels, asked about a connection",
    { objectSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] } },
    EXEC,
    false,
  ],
  ["everything, asked about a connection", { objectSelector: {} }, EXEC, "/v1 pods/exec PodExecOptions"],
  [
    "one of several values",
    { objectSelector: { matchExpressions: [{ key: "a", operator: "In", values: ["x", "b"] }] } },
    { object: labelled({ a: "b" }) },
    CONFIG_MAP,
  ],
  [
    "none of several values",
    { objectSelector: { matchExpressions: [{ key: "a", operator: "NotIn", values: ["x", "b"] }] } },
    { object: labelled({ a: "b" }) },
    false,
  ],
  [
    "both selectors",
    { namespaceSelector: select({ team: "sales" }), objectSelector: select({ a: "b" }) },
    { object: labelled({ a: "b" }) },
    CONFIG_MAP,
  ],
  [
    "both selectors, of which one does not hold",
    { namespaceSelector: select({ team: "ops" }), objectSelector: select({ a: "b" }) },
    { object: labelled({ a: "b" }) },
    false,
  ],
];

const CRON: AskedOf = { plural: "cronjobs", group: "batch" };
const EVENTS: AskedOf = { plural: "events", version: "v1" };
const HPA: AskedOf = { plural: "horizontalpodautoscalers", group: "autoscaling", version: "autoscaling/v1" };
const exact = { matchPolicy: "Exact" };
const V1BETA1 = rule({ apiGroups: ["batch"], apiVersions: ["v1beta1"], resources: ["cronjobs"] });
const equivalentRows: readonly Row[] = [
  ["an older version of the resource", V1BETA1, { ...CRON, version: "batch/v1" }, "batch/v1beta1 cronjobs CronJob"],
  ["an older version, exactly", { ...V1BETA1, ...exact }, { ...CRON, version: "batch/v1" }, false],
  [
    "the version itself, exactly",
    { ...V1BETA1, ...exact },
    { ...CRON, version: "batch/v1beta1" },
    "batch/v1beta1 cronjobs CronJob",
  ],
  [
    "a newer version of the resource",
    rule({ apiVersions: ["v1"], resources: ["cronjobs"] }),
    { ...CRON, version: "batch/v1beta1" },
    "batch/v1 cronjobs CronJob",
  ],
  [
    "both versions",
    rule({ apiVersions: ["v1beta1", "v1"], resources: ["cronjobs"] }),
    { ...CRON, version: "batch/v1" },
    "batch/v1 cronjobs CronJob",
  ],
  [
    "any version",
    rule({ resources: ["cronjobs"] }),
    { ...CRON, version: "batch/v1beta1" },
    "batch/v1beta1 cronjobs CronJob",
  ],
  [
    "the same resource in another group",
    rule({ apiGroups: ["events.orch.io"], apiVersions: ["v1"] }),
    EVENTS,
    "events.orch.io/v1 events Event",
  ],
  [
    "the same resource in another group, exactly",
    { ...rule({ apiGroups: ["events.orch.io"] }), ...exact },
    EVENTS,
    false,
  ],
  [
    "the core group, asked through another",
    rule({ apiGroups: [""] }),
    { ...EVENTS, version: "events.orch.io/v1" },
    "/v1 events Event",
  ],
  [
    "the first rule that has an equivalent",
    rules(
      { apiGroups: ["autoscaling"], apiVersions: ["v2beta2"] },
      { apiGroups: ["autoscaling"], apiVersions: ["v2"] },
    ),
    HPA,
    "autoscaling/v2beta2 horizontalpodautoscalers HorizontalPodAutoscaler",
  ],
  [
    "a part of an equivalent",
    rule({ apiVersions: ["v1beta1"], resources: ["cronjobs/status"] }),
    { ...CRON, version: "batch/v1", operation: "UPDATE", subresource: "status" },
    "batch/v1beta1 cronjobs/status CronJob",
  ],
  [
    "a rule that meets it as it is before one that has an equivalent",
    rules({ apiVersions: ["v1beta1"], resources: ["cronjobs"] }, { apiVersions: ["v1"], resources: ["cronjobs"] }),
    { ...CRON, version: "batch/v1" },
    "batch/v1 cronjobs CronJob",
  ],
  [
    "an equivalent by another operation",
    rule({ apiVersions: ["v1beta1"], resources: ["cronjobs"], operations: ["DELETE"] }),
    { ...CRON, version: "batch/v1" },
    false,
  ],
  ["a version of no such resource", rule({ apiVersions: ["v1beta1"] }), {}, false],
];

const LEASE: AskedOf = { plural: "leases", group: "coordination.orch.io" };
const OWN = "admissionregistration.orch.io";
const sparedRows: readonly Row[] = [
  ["everything, but leases of the system", {}, { ...LEASE, namespace: "orch-system" }, false],
  ["everything, but leases of nodes", {}, { ...LEASE, namespace: "orch-node-lease" }, false],
  ["everything, with the leases of others", {}, LEASE, "coordination.orch.io/v1 leases Lease"],
  [
    "leases by name, also of the system",
    rule({ apiGroups: ["coordination.orch.io"] }),
    { ...LEASE, namespace: "orch-system" },
    "coordination.orch.io/v1 leases Lease",
  ],
  ["other objects of the system", {}, of("orch-system"), CONFIG_MAP],
  ["its own configuration", {}, { plural: "validatingwebhookconfigurations", group: OWN }, false],
  [
    "configurations of the other kind",
    rule({ apiGroups: [OWN] }),
    { plural: "mutatingwebhookconfigurations", group: OWN },
    false,
  ],
  [
    "a configuration's deletion",
    rule({ apiGroups: [OWN] }),
    { plural: "mutatingwebhookconfigurations", group: OWN, operation: "DELETE" },
    false,
  ],
];

const condition = (...expressions: string[]) => ({
  matchConditions: expressions.map((expression, at) => ({ name: `c${at}`, expression })),
});
const conditionRows: readonly Row[] = [
  ["a condition that holds", condition("object.metadata.name == 'a'"), {}, CONFIG_MAP],
  ["a condition that does not hold", condition("object.metadata.name == 'b'"), {}, false],
  ["conditions that all hold", condition("true", "object.kind == 'ConfigMap'"), {}, CONFIG_MAP],
  ["conditions of which one does not hold", condition("true", "false"), {}, false],
  ["one that fails, and one that does not hold", condition("object.nothing.at == 1", "false"), {}, false],
  ["what the request says", condition("request.operation == 'CREATE' && request.namespace == 'shop'"), {}, CONFIG_MAP],
  ["who asks", condition("!('system:nodes' in request.userInfo.groups)"), {}, CONFIG_MAP],
  ["who asks, and is left out", condition("request.userInfo.username != 'ann'"), {}, false],
  [
    "what was",
    condition("oldObject != null && object.metadata.name == oldObject.metadata.name"),
    { operation: "UPDATE" },
    CONFIG_MAP,
  ],
  ["what was, where nothing was", condition("oldObject != null"), {}, false],
  [
    "what is deleted",
    condition("object == null && oldObject.metadata.name == 'a'"),
    { operation: "DELETE" },
    CONFIG_MAP,
  ],
  [
    "the resource",
    condition("request.resource.resource == 'configmaps' && request.resource.group == ''"),
    {},
    CONFIG_MAP,
  ],
  ["a dry run", condition("request.dryRun"), { dryRun: true }, CONFIG_MAP],
  [
    "arithmetic",
    condition("object.spec.replicas + 1 == 4"),
    { object: { ...labelled({}), spec: { replicas: 3 } } },
    CONFIG_MAP,
  ],
  [
    "what the user may do",
    condition("authorizer.group('').resource('pods').namespace('shop').check('get').allowed()"),
    {},
    CONFIG_MAP,
  ],
  ["what the user may not do", condition("authorizer.group('').resource('pods').check('delete').allowed()"), {}, false],
  ["whether the user may do this", condition("authorizer.requestResource.check('get').allowed()"), {}, CONFIG_MAP],
  [
    "one that fails, of a webhook that may be left out",
    { ...condition("object.nothing.at == 1"), failurePolicy: "Ignore" },
    {},
    false,
  ],
  [
    "one that does not compile, of a webhook that may be left out",
    { ...condition("object.("), failurePolicy: "Ignore" },
    {},
    false,
  ],
  [
    "the object in the version of its rule",
    { ...V1BETA1, ...condition("object.apiVersion == 'batch/v1beta1'") },
    { ...CRON, version: "batch/v1" },
    "batch/v1beta1 cronjobs CronJob",
  ],
  [
    "the version of its rule in the request",
    { ...V1BETA1, ...condition("request.resource.version == 'v1beta1' && request.requestResource.version == 'v1'") },
    { ...CRON, version: "batch/v1" },
    "batch/v1beta1 cronjobs CronJob",
  ],
];

const ROWS: readonly Row[] = [
  ...operationRows,
  ...resourceRows,
  ...groupRows,
  ...scopeRows,
  ...severalRows,
  ...selectorRows,
  ...equivalentRows,
  ...sparedRows,
  ...conditionRows,
];

test.each(ROWS)("a webhook for %s", async (_what, parts, asked, seen) => {
  const authorizer = {
    authorize: ({ verb }: Attributes) => ({ kind: verb === "get" ? "allow" : "noOpinion", reason: "" }) as const,
  };
  const fake = fakeWebhooks([validating("c", webhook("w.example.com", parts))], undefined, { authorizer });
  await pass(fake.chain(), askedOf(asked).request);
  expect(fake.asked.map(({ review }) => seenOf(review.request))).toEqual(seen === false ? [] : [seen]);
});

// biome-ignore lint/suspicious/noExplicitAny: JSON from outside.
function seenOf({ resource, subResource, kind }: any): string {
  const part = subResource === undefined ? "" : `/${subResource}`;
  return `${resource.group}/${resource.version} ${resource.resource}${part} ${kind.kind}`;
}

test("the rows are many", () => expect(ROWS.length).toBeGreaterThanOrEqual(100));
