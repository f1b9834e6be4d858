// The rules of each role in the releases since 1.26, by feature gate, against a table of upstream's rules.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { existsIn, type JsonObject, vocabularyOf } from "@orch/schema";
import { metadataOf, type PolicyRule, rulesOf } from "../policy";
import { bootstrapPolicy } from "./bootstrap-policy";
import { type GateSettings, isRoleGateOn, ROLE_GATES, type RoleGate } from "./role-gates";

interface Row {
  readonly role: string;
  readonly since?: string;
  readonly until?: string;
  readonly gates: readonly RoleGate[];
  readonly rights: readonly string[];
}

// Columns: role (in its namespace), first and last release, gates, rule. A rule is `verbs groups:resources [= names]` or
// `verbs paths`. Absent values are `-`; rows without a first release are older than 1.26.
const ROWS = readFileSync(join(__dirname, "testdata/rules-since-1.26.tsv"), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line): Row => {
    const [role = "", since = "-", until = "-", gates = "-", rule = ""] = line.split("\t");
    return {
      role,
      ...(since !== "-" && { since }),
      ...(until !== "-" && { until }),
      gates: gates === "-" ? [] : (gates.split("+") as RoleGate[]),
      rights: rightsOfText(rule),
    };
  });

/** Rights that this server grants beyond upstream. */
const ADDITIONS: Readonly<Record<string, readonly RegExp[]>> = {
  // Health checks by name, and the pages for browsers, which hold no cluster data.
  "system:public-info-viewer": [/^get \/(docs|docs\/\*|healthz\/\*|livez\/\*|readyz\/\*|ui|ui\/\*)$/],
  // SelfSubjectReview is served in every release.
  "system:basic-user": [/^create authentication.k8s.io:selfsubjectreviews$/],
  // The garbage collector marks the pods that it deletes as failed.
  "system:controller:pod-garbage-collector": [/^patch core:pods\/status$/],
  // The cleaner lists the tokens itself, and skips those that pods mount.
  "system:controller:legacy-service-account-token-cleaner": [/./],
};

const RELEASES = Array.from({ length: 12 }, (_, index) => `1.${26 + index}`);
const vocabulary = vocabularyOf("kubernetes");

test.each(RELEASES)("at %s every role has its rules", (release) => {
  expect(differences(release, {})).toEqual([]);
});

/** Last release in which a gate can be switched, where that is before 1.36. */
const LAST_SWITCHED: Readonly<Partial<Record<RoleGate, string>>> = {
  PodDisruptionConditions: "1.30",
  StatefulSetAutoDeletePVC: "1.31",
  ValidatingAdmissionPolicy: "1.29",
};

test.each(ROLE_GATES)("the rules follow %s", (gate) => {
  const release = LAST_SWITCHED[gate] ?? "1.36";
  expect(differences(release, { [gate]: !isRoleGateOn(gate, release, {}) })).toEqual([]);
});

test.each<[RoleGate, string, string]>([
  ["DynamicResourceAllocation", "system:node", "get resource.k8s.io:resourceclaims"],
  ["ClusterTrustBundle", "system:cluster-trust-bundle-discovery", "list certificates.k8s.io:clustertrustbundles"],
  ["PodCertificateRequest", "system:node", "create certificates.k8s.io:podcertificaterequests"],
  ["GenericWorkload", "system:kube-scheduler", "patch scheduling.k8s.io:podgroups/status"],
])("a server with %s grants %s more than one without", (gate, role, right) => {
  expect(granted("1.36", { [gate]: true }).get(role)).toContain(right);
  expect(granted("1.36", { [gate]: false }).get(role) ?? []).not.toContain(right);
});

test("a role that aggregates has the rules of newer kinds", () => {
  expect(granted("1.36", {}).get("view")).toContain("list resource.k8s.io:resourceclaims");
  expect(granted("1.36", {}).get("edit")).toContain("create resource.k8s.io:resourceclaimtemplates");
  expect(granted("1.32", {}).get("view")).not.toContain("list resource.k8s.io:resourceclaims");
});

test.each(RELEASES)("at %s the product's own vocabulary leaves no name of the other", (release) => {
  const all = Object.fromEntries(ROLE_GATES.map((gate) => [gate, true]));
  expect(JSON.stringify(bootstrapPolicy(vocabularyOf("orch"), release, all))).not.toMatch(/kube|k8s/);
});

/** Returns the rights that are missing or too many, as lines. Roles that aggregate follow from the others. */
function differences(release: string, gates: GateSettings): string[] {
  const expected = new Map<string, Set<string>>();
  for (const { role, since, until, gates: needed, rights } of ROWS) {
    const inRelease = existsIn({ ...(since && { since }), ...(until && { until }) }, release);
    if (!inRelease || !needed.every((gate) => isRoleGateOn(gate, release, gates))) continue;
    expected.set(role, new Set([...(expected.get(role) ?? []), ...rights]));
  }
  const actual = granted(release, gates);
  const roles = new Set([...expected.keys(), ...actual.keys()]);
  return [...roles].flatMap((role) => {
    if (["admin", "edit", "view"].includes(role)) return [];
    const [wanted, has] = [expected.get(role) ?? new Set(), actual.get(role) ?? new Set<string>()];
    const added = ADDITIONS[role] ?? [];
    return [
      ...[...wanted].filter((right) => !has.has(right as string)).map((right) => `${role} lacks ${right}`),
      ...[...has]
        .filter((right) => !wanted.has(right) && !added.some((pattern) => pattern.test(right)))
        .map((right) => `${role} has ${right}`),
    ];
  });
}

function granted(release: string, gates: GateSettings): Map<string, Set<string>> {
  const { clusterRoles, roles } = bootstrapPolicy(vocabulary, release, gates);
  return new Map([...clusterRoles, ...roles].map((role) => [fullName(role), new Set(rulesOf(role).flatMap(rightsOf))]));
}

function fullName(role: JsonObject): string {
  const { name, namespace } = metadataOf(role);
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** Returns one line for each verb, group, resource and name of a rule, or for each verb and path. */
function rightsOf(rule: PolicyRule): string[] {
  const { verbs, apiGroups = [], resources = [], resourceNames = [""], nonResourceURLs } = rule;
  if (nonResourceURLs !== undefined) return verbs.flatMap((verb) => nonResourceURLs.map((path) => `${verb} ${path}`));
  return verbs.flatMap((verb) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        resourceNames.map((name) => `${verb} ${group || "core"}:${resource}${name && ` = ${name}`}`),
      ),
    ),
  );
}

function rightsOfText(text: string): string[] {
  const [verbs = "", rest = ""] = text.split(/ (.*)/);
  const [what = "", names] = rest.split(" = ");
  const [groups = "", resources] = what.split(":");
  if (resources === undefined) return rightsOf({ verbs: verbs.split(","), nonResourceURLs: what.split(",") });
  return rightsOf({
    verbs: verbs.split(","),
    apiGroups: groups.split(","),
    resources: resources.split(","),
    ...(names !== undefined && { resourceNames: names.split(",") }),
  });
}

test.each([
  ["1.30", false],
  ["1.31", true],
  ["1.36", true],
])("at %s the leader election of the controller manager includes the account of the API server: %p", (release, is) => {
  const { roleBindings } = bootstrapPolicy(vocabulary, release);
  const named = roleBindings.filter(
    (each) => metadataOf(each)["name"] === vocabulary.rbacNames.leaderLockingOrchControllerManager,
  );
  const subjects = named.flatMap((each) => each["subjects"] as JsonObject[]).map(({ name }) => name);
  expect(subjects.slice(0, 2)).toEqual(["system:kube-controller-manager", "kube-controller-manager"]);
  expect(subjects.slice(2)).toEqual(is ? ["leader-election-controller"] : []);
});
