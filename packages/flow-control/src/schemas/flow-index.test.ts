import { describe, expect, test } from "@jest/globals";
import type { flowcontrolV1 } from "@orch/schema";
import { FlowIndex } from "./flow-index";
import type { FlowTarget } from "./flow-rules";
import type { FlowSpec } from "./flow-spec";

type Rules = flowcontrolV1.PolicyRulesWithSubjects;

const user = (name: string): flowcontrolV1.Subject => ({ kind: "User", user: { name } });
const group = (name: string): flowcontrolV1.Subject => ({ kind: "Group", group: { name } });
const account = (namespace: string, name: string): flowcontrolV1.Subject => ({
  kind: "ServiceAccount",
  serviceAccount: { namespace, name },
});
const anything: Omit<Rules, "subjects"> = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
};
const of = (subject: flowcontrolV1.Subject, rules: Omit<Rules, "subjects"> = anything): Rules => ({
  subjects: [subject],
  ...rules,
});

const spec = (name: string, rules: readonly Rules[]): FlowSpec => ({
  name,
  uid: "",
  precedence: 1,
  level: "l",
  distinguisher: undefined,
  rules,
});

function indexOf(...specs: readonly FlowSpec[]): FlowIndex<string> {
  const index = new FlowIndex<string>();
  for (const each of specs) index.add(each, each.name);
  return index;
}

const GET_PODS: FlowTarget = { kind: "resource", verb: "get", apiGroup: "", resource: "pods", namespace: "default" };
const ANN = { name: "ann", groups: ["people", "system:authenticated"] };

describe("a subject", () => {
  test.each<[string, flowcontrolV1.Subject, string, boolean]>([
    ["a user by name", user("ann"), "ann", true],
    ["another user", user("bob"), "ann", false],
    ["any user", user("*"), "ann", true],
    ["a group", group("people"), "ann", true],
    ["another group", group("others"), "ann", false],
    ["any group", group("*"), "ann", true],
    ["a service account", account("ns", "a"), "system:serviceaccount:ns:a", true],
    ["another service account", account("ns", "b"), "system:serviceaccount:ns:a", false],
    ["all of a namespace", account("ns", "*"), "system:serviceaccount:ns:a", true],
    ["all of another namespace", account("other", "*"), "system:serviceaccount:ns:a", false],
    ["a user who is no service account", account("ann", "*"), "ann", false],
  ])("is %s", (_what, subject, name, isTaken) => {
    const found = indexOf(spec("it", [of(subject)])).classify({ ...ANN, name }, GET_PODS);
    expect(found).toBe(isTaken ? "it" : undefined);
  });
});

describe("a rule", () => {
  const RULE = { verbs: ["get", "list"], apiGroups: ["", "apps"], resources: ["pods", "pods/log"] };
  const inNamespace = { ...RULE, namespaces: ["default", "other"] };
  const target = (change: Partial<FlowTarget & { kind: "resource" }>): FlowTarget =>
    ({ ...GET_PODS, ...change }) as FlowTarget;

  test.each<[string, flowcontrolV1.ResourcePolicyRule, FlowTarget, boolean]>([
    ["all of it", inNamespace, GET_PODS, true],
    ["another verb", inNamespace, target({ verb: "create" }), false],
    ["another group", inNamespace, target({ apiGroup: "batch" }), false],
    ["another resource", inNamespace, target({ resource: "secrets" }), false],
    ["a sub-resource", inNamespace, target({ resource: "pods/log" }), true],
    ["another sub-resource", inNamespace, target({ resource: "pods/exec" }), false],
    ["another namespace", inNamespace, target({ namespace: "third" }), false],
    ["no namespace", inNamespace, target({ namespace: "" }), false],
    ["no namespace where every one is meant", { ...RULE, namespaces: ["*"] }, target({ namespace: "" }), false],
    ["no namespace, cluster-wide", { ...RULE, clusterScope: true, namespaces: null }, target({ namespace: "" }), true],
    ["a namespace, cluster-wide alone", { ...RULE, clusterScope: true, namespaces: null }, GET_PODS, false],
    ["a path", inNamespace, { kind: "nonResource", verb: "get", path: "/pods" }, false],
  ])("is asked for %s", (_what, rule, asked, isTaken) => {
    const found = indexOf(spec("it", [of(user("ann"), { resourceRules: [rule] })])).classify(ANN, asked);
    expect(found).toBe(isTaken ? "it" : undefined);
  });

  test.each<[string, string, boolean]>([
    ["/metrics", "/metrics", true],
    ["/metrics", "/metrics/slow", false],
    ["/debug/*", "/debug/x/y", true],
    ["/debug/*", "/debug", false],
    ["*", "/anything", true],
    ["/", "/", true],
    ["/", "/api", false],
  ])("a rule for %s is evaluated for %s", (stated, path, isTaken) => {
    const rules = { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: [stated] }] };
    const index = indexOf(spec("it", [of(user("ann"), rules)]));
    expect(index.classify(ANN, { kind: "nonResource", verb: "get", path })).toBe(isTaken ? "it" : undefined);
    expect(index.classify(ANN, { kind: "nonResource", verb: "put", path })).toBeUndefined();
  });
});

test("the schema that stands first takes a request, by whichever subject it does", () => {
  const index = indexOf(
    spec("1", [of(group("nobody"))]),
    spec("2", [of(group("people"), { nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/x"] }] })]),
    spec("3", [of(group("system:authenticated"))]),
    spec("4", [of(user("ann"))]),
    spec("5", [of(user("*"))]),
  );
  expect(index.classify(ANN, GET_PODS)).toBe("3");
  expect(index.classify({ name: "ann", groups: [] }, GET_PODS)).toBe("4");
  expect(index.classify({ name: "bob", groups: [] }, GET_PODS)).toBe("5");
});

test("the cached result of a user equals the computed one, for thousands of schemas", () => {
  const specs = Array.from({ length: 2000 }, (_, at) =>
    spec(`${at}`, [
      of(group("people"), {
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: [`kind-${at}`], namespaces: ["*"] }],
      }),
    ]),
  );
  const index = indexOf(...specs);
  for (let round = 0; round < 3; round += 1) {
    for (let at = 0; at < 2000; at += 97) {
      const asked: FlowTarget = { ...GET_PODS, resource: `kind-${at}` } as FlowTarget;
      expect(index.classify(ANN, asked)).toBe(`${at}`);
    }
    expect(index.classify(ANN, GET_PODS)).toBeUndefined();
  }
});

test("rules that others have stored with nothing in them take nothing", () => {
  const empty = { subjects: null, resourceRules: null, nonResourceRules: null } as unknown as Rules;
  const hollow = of(user("ann"), {
    resourceRules: [{ verbs: null, apiGroups: null, resources: null, namespaces: null }] as never,
  });
  expect(indexOf(spec("it", [empty, hollow])).classify(ANN, GET_PODS)).toBeUndefined();
});
