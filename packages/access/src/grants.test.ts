import { describe, expect, test } from "@jest/globals";
import type { AskedAction } from "./asked-action";
import { findGrants, type Grant, placeText, type RbacObject, type RbacSource, subjectsOf } from "./grants";
import { granted, type NearGrant, nearest } from "./nearest-grants";
import { groupsOf, isNear, isSubject, type PolicyRule, ruleAllows } from "./policy-rule";

const resource = (verb: string, type: string, { group = "", name = "", namespace = "shop" } = {}): AskedAction => {
  const [plural = "", subresource = ""] = type.split("/");
  return { kind: "resource", verb, group, resource: plural, subresource, name, namespace };
};
const rule = (verbs: string, groups: string, resources: string, names = ""): PolicyRule => ({
  verbs: verbs.split(","),
  apiGroups: groups.split(","),
  resources: resources.split(","),
  resourceNames: names === "" ? [] : names.split(","),
});

describe("a rule", () => {
  test.each<[PolicyRule, AskedAction, boolean, boolean]>([
    [rule("get", "", "pods"), resource("get", "pods"), true, true],
    [rule("get", "", "pods"), resource("delete", "pods"), false, true],
    [rule("*", "*", "*"), resource("delete", "pods/log"), true, true],
    [rule("get", "apps", "deployments"), resource("get", "deployments"), false, true],
    [rule("get", "", "pods"), resource("get", "pods/log"), false, true],
    [rule("get", "", "*/log"), resource("get", "pods/log"), true, true],
    [rule("get", "", "pods", "web"), resource("get", "pods", { name: "web" }), true, true],
    [rule("get", "", "pods", "web"), resource("get", "pods"), false, true],
    [rule("get", "", "secrets"), resource("get", "pods"), false, false],
    [{ verbs: ["get"], nonResourceURLs: ["/api/*"] }, { kind: "path", verb: "get", path: "/api/v1" }, true, true],
    [{ verbs: ["get"], nonResourceURLs: ["/api"] }, { kind: "path", verb: "get", path: "/api/v1" }, false, false],
    [rule("get", "", "pods"), { kind: "path", verb: "get", path: "/pods" }, false, false],
  ])("%j and %j: allows %s, is near %s", (each, asked, allows, near) => {
    expect([ruleAllows(each, asked), isNear(each, asked)]).toEqual([allows, near]);
  });
});

test("a service account is in its own groups, and a subject without namespace is in that of its binding", () => {
  const user = "system:serviceaccount:shop:web";
  const groups = groupsOf(user, ["more"]);
  expect(groups).toEqual(["more", "system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"]);
  const isIt = (subject: object) => isSubject(subject, { user, groups, bindingNamespace: "shop" });
  expect(isIt({ kind: "ServiceAccount", name: "web" })).toBe(true);
  expect(isIt({ kind: "ServiceAccount", name: "web", namespace: "blog" })).toBe(false);
  expect(isIt({ kind: "Group", name: "system:serviceaccounts:shop" })).toBe(true);
  expect(groupsOf("system:anonymous", [])).toEqual(["system:unauthenticated"]);
});

test("grants are those of the user and the place; near ones are elsewhere, of other verbs, and of other groups", () => {
  const asked = resource("get", "pods");
  const grant = (name: string, namespace: string, of: { allows?: boolean; subject: object }): Grant => ({
    kind: namespace === "" ? "ClusterRoleBinding" : "RoleBinding",
    name,
    namespace,
    role: { kind: "ClusterRole", name: "r", namespace: "", rule: rule("get", "", "pods"), allows: of.allows ?? true },
    subjects: [of.subject],
  });
  const ann = { kind: "User", name: "ann" };
  const grants = [
    grant("here", "shop", { subject: ann }),
    grant("there", "blog", { subject: ann }),
    grant("others", "shop", { subject: ann, allows: false }),
    grant("masters", "", { subject: { kind: "Group", name: "system:masters" } }),
    grant("ops", "", { subject: { kind: "Group", name: "ops" } }),
    grant("bob", "", { subject: { kind: "User", name: "bob" } }),
  ];
  const who = { user: "ann", groups: [] };
  const bindings = (found: readonly NearGrant[]) => found.map(({ grant }) => placeText(grant));
  expect(bindings(granted(grants, asked, who))).toEqual(["RoleBinding shop/here"]);
  expect(bindings(nearest(grants, asked, who))).toEqual([
    "RoleBinding blog/there",
    "RoleBinding shop/others",
    "ClusterRoleBinding ops",
    "ClusterRoleBinding masters",
  ]);
});

describe("the search for grants", () => {
  const refused = new Error("refused");
  const role = (name: string, namespace: string, ...rules: readonly PolicyRule[]): RbacObject => ({
    metadata: { name, namespace },
    rules,
  });
  const binding = (name: string, namespace: string, roleRef: RbacObject["roleRef"]): RbacObject => ({
    metadata: { name, namespace },
    ...(roleRef === undefined ? {} : { roleRef }),
    subjects: [
      { kind: "User", name: "ann" },
      { kind: "ServiceAccount", name: "web" },
    ],
  });
  const OBJECTS: Readonly<Record<string, readonly RbacObject[]>> = {
    clusterroles: [role("reads", "", rule("get", "", "pods")), role("writes", "", rule("update", "", "pods"))],
    roles: [role("reads", "shop", rule("get", "", "pods")), role("reads", "blog", rule("get", "", "secrets"))],
    clusterrolebindings: [binding("everywhere", "", { kind: "ClusterRole", name: "reads" })],
    rolebindings: [
      binding("of-shop", "shop", { kind: "Role", name: "reads" }),
      binding("of-blog", "blog", { kind: "Role", name: "reads" }),
      binding("writers", "shop", { kind: "ClusterRole", name: "writes" }),
      binding("of-none", "shop", { kind: "Role", name: "gone" }),
    ],
  };
  /** @param mayRead whether the user may list a resource in a namespace, in all for "" */
  const source = (mayRead: (resource: string, namespace: string) => boolean): RbacSource => ({
    async *objects(resource, namespace) {
      if (!mayRead(resource, namespace)) throw refused;
      const all = OBJECTS[resource] ?? [];
      yield* namespace === "" ? all : all.filter(({ metadata }) => metadata?.namespace === namespace);
    },
    isRefusal: (error) => error === refused,
  });
  const asked = resource("get", "pods");
  const named = (grants: readonly Grant[]) => grants.map(placeText);

  test("joins bindings with the roles that allow the action, and with those that come near when asked", async () => {
    const all = source(() => true);
    const { grants, unread } = await findGrants(all, asked, { near: false });
    expect([named(grants), unread]).toEqual([["ClusterRoleBinding everywhere", "RoleBinding shop/of-shop"], []]);
    expect(named((await findGrants(all, asked, { near: true })).grants)).toContain("RoleBinding shop/writers");
  });

  test("reads the namespace of the action where the user may not read all, and tells what is missing", async () => {
    const ofShop = source((resource, namespace) => resource.startsWith("cluster") || namespace === "shop");
    const partly = await findGrants(ofShop, asked, { near: false });
    expect(named(partly.grants)).toContain("RoleBinding shop/of-shop");
    expect(partly.unread).toEqual(["roles of other namespaces", "rolebindings of other namespaces"]);
    const none = await findGrants(
      source(() => false),
      asked,
      { near: false },
    );
    expect([none.grants, none.unread]).toEqual([[], ["clusterroles", "roles", "clusterrolebindings", "rolebindings"]]);
  });

  test("ends with an error that is no refusal", async () => {
    const broken: RbacSource = { ...source(() => false), isRefusal: () => false };
    await expect(findGrants(broken, asked, { near: false })).rejects.toBe(refused);
  });

  test("names service accounts with the namespace of the binding when they name none", async () => {
    const { grants } = await findGrants(
      source(() => true),
      asked,
      { near: false },
    );
    expect(grants.flatMap(subjectsOf).map(({ kind, subject }) => `${kind} ${subject}`)).toEqual([
      ...["User ann", "ServiceAccount /web"],
      ...["User ann", "ServiceAccount shop/web"],
    ]);
  });
});
