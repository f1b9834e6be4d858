import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { metadataOf, type PolicyRule, roleRefOf, rulesOf, type Subject, subjectsOf } from "../policy";
import { bootstrapPolicy } from "./bootstrap-policy";

// One rule per line: `verbs groups:resources [= names]` or `verbs paths`; a binding is its role and its subjects.
const expected = JSON.parse(readFileSync(join(__dirname, "testdata/policy.json"), "utf8"));
const policy = bootstrapPolicy(vocabularyOf("kubernetes"), "1.20");

test("every bootstrap cluster role allows what it should, aggregated ones the union", () => {
  expect(Object.fromEntries(policy.clusterRoles.map((role) => [metadataOf(role).name, clusterRoleText(role)]))).toEqual(
    expected.clusterRoles,
  );
});

test("every bootstrap cluster role binding joins its role and subjects", () => {
  expect(keyed(policy.clusterRoleBindings, bindingText)).toEqual(expected.clusterRoleBindings);
});

test("roles and bindings inside namespaces are as they should be", () => {
  expect(keyed(policy.roles, (role) => rulesOf(role).map(ruleText))).toEqual(expected.roles);
  expect(keyed(policy.roleBindings, bindingText)).toEqual(expected.roleBindings);
});

test("every object is marked as a default that is kept up to date, in the words of the vocabulary", () => {
  const all = Object.values(bootstrapPolicy(vocabularyOf("orch"), "1.20")).flat() as JsonObject[];
  expect(all.length).toBe(60 + 50 + 7 + 7);
  for (const object of all) {
    expect(object["apiVersion"]).toBe("rbac.authorization.orch.io/v1");
    expect(object["metadata"]).toMatchObject({
      labels: { "orch.io/bootstrapping": "rbac-defaults" },
      annotations: { "rbac.authorization.orch.io/autoupdate": "true" },
    });
  }
});

test.each(["1.20", "1.28"])("at %s fields stand in the order in which they are stored", (release) => {
  for (const name of ["orch", "kubernetes"] as const) {
    const vocabulary = vocabularyOf(name);
    const schema = loadSchema(vocabulary);
    for (const object of Object.values(bootstrapPolicy(vocabulary, release)).flat() as JsonObject[]) {
      const type = schema.objectType(vocabulary.groups.rbac, "v1", String(object["kind"]));
      expect(JSON.stringify(object)).toBe(JSON.stringify(type?.decode(structuredClone(object)).value));
    }
  }
});

test.each([
  ["jobs expire", "1.21", "ttl-after-finished-controller", "delete,get,list,watch batch:jobs"],
  ["lost pods are said to have failed", "1.26", "pod-garbage-collector", "patch core:pods/status"],
])("%s from release %s on", (_what, since, controller, rule) => {
  const rulesIn = (release: string) => {
    const { clusterRoles } = bootstrapPolicy(vocabularyOf("orch"), release);
    const role = clusterRoles.find((each) => metadataOf(each).name === `system:controller:${controller}`);
    return role === undefined ? [] : rulesOf(role).map(ruleText);
  };
  expect(rulesIn(since)).toContain(rule);
  expect(rulesIn(previousRelease(since))).not.toContain(rule);
});

test("the product's own vocabulary leaves no name of the other", () => {
  expect(JSON.stringify(bootstrapPolicy(vocabularyOf("orch"), "1.20"))).not.toMatch(/kube|k8s/);
});

function keyed(objects: readonly JsonObject[], text: (object: JsonObject) => unknown): Record<string, unknown> {
  return Object.fromEntries(
    objects.map((object) => {
      const { name, namespace } = metadataOf(object);
      return [namespace === "" ? name : `${namespace}/${name}`, text(object)];
    }),
  );
}

function clusterRoleText(role: JsonObject): unknown {
  const metadata = role["metadata"] as { labels: Record<string, string> };
  const into = Object.keys(metadata.labels).find((label) => label.includes("aggregate-to"));
  const aggregation = role["aggregationRule"] as
    | { clusterRoleSelectors: { matchLabels: Record<string, string> }[] }
    | undefined;
  const from = Object.keys(aggregation?.clusterRoleSelectors[0]?.matchLabels ?? {})[0];
  return { ...(into && { into }), ...(from && { from }), rules: rulesOf(role).map(ruleText) };
}

function ruleText(rule: PolicyRule): string {
  const verbs = rule.verbs.join();
  if (rule.nonResourceURLs !== undefined) return `${verbs} ${rule.nonResourceURLs.join()}`;
  const groups = rule.apiGroups?.map((group) => group || "core").join();
  const names = rule.resourceNames === undefined ? "" : ` = ${rule.resourceNames.join()}`;
  return `${verbs} ${groups}:${rule.resources?.join()}${names}`;
}

function bindingText(binding: JsonObject): string[] {
  const { kind, name } = roleRefOf(binding);
  return [`${kind}/${name}`, ...subjectsOf(binding).map(subjectText)];
}

function subjectText({ kind, name, namespace, apiGroup }: Subject): string {
  expect(apiGroup).toBe(kind === "ServiceAccount" ? undefined : "rbac.authorization.k8s.io");
  return namespace === undefined ? `${kind}:${name}` : `${kind}:${namespace}/${name}`;
}

const previousRelease = (release: string): string => `1.${Number(release.slice(2)) - 1}`;
