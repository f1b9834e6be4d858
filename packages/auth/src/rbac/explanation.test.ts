import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { type Attributes, type Decision, type ExplanationScope, explained } from "../authorization/authorizer";
import type { PolicyRule, Subject } from "./policy";
import { rbacAuthorizer } from "./rbac-authorizer";
import { RbacGrants, type RbacKind } from "./rbac-grants";

const ANN: Subject = { kind: "User", name: "ann" };
const DEVS: Subject = { kind: "Group", name: "devs" };
const BOB: Subject = { kind: "User", name: "bob" };
const GET_PODS: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"] };

const ASKED: Attributes = {
  kind: "resource",
  user: { name: "ann", groups: ["devs"] },
  verb: "get",
  apiGroup: "",
  apiVersion: "v1",
  resource: "pods",
  subresource: "",
  namespace: "shop",
  name: "web",
};

class World {
  readonly grants = new RbacGrants({ vocabulary: vocabularyOf("orch") });

  role(name: string, ...rules: PolicyRule[]): this {
    return this.put("ClusterRole", "", name, { rules });
  }

  /** @param at "" for the whole cluster */
  bound(role: string, subject: Subject, at = "", name = `${role}-${subject.name}`): this {
    const roleRef = { kind: "ClusterRole", name: role, apiGroup: "rbac.authorization.orch.io" };
    return this.put(at === "" ? "ClusterRoleBinding" : "RoleBinding", at, name, { roleRef, subjects: [subject] });
  }

  private put(kind: RbacKind, namespace: string, name: string, content: JsonObject): this {
    this.grants.apply({ kind, namespace, name, object: { metadata: { name, namespace }, ...content }, revision: 1 });
    return this;
  }

  said(asked: Attributes, scope: ExplanationScope = "everywhere"): string {
    const authorizer = rbacAuthorizer(this.grants);
    return explained(authorizer, asked, authorizer.authorize(asked) as Decision, scope);
  }
}

describe("an allowed request", () => {
  const LIST_ALSO: PolicyRule = { verbs: ["list"], apiGroups: [""], resources: ["pods"] };

  test("names binding, role and the rule", () =>
    expect(new World().role("r", LIST_ALSO, GET_PODS).bound("r", DEVS).said(ASKED)).toBe(
      'RBAC: allowed by ClusterRoleBinding "r-devs" of ClusterRole "r" to Group "devs", by the rule {APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ));

  test("shows a few values of a long rule", () => {
    const verbs = ["get", ...Array.from({ length: 3000 }, (_, at) => `v${at}`)];
    expect(
      new World()
        .role("r", { ...GET_PODS, verbs })
        .bound("r", ANN)
        .said(ASKED),
    ).toContain('Verbs:["get" "v0" "v1" "v2" "v3" and 2996 more]}');
  });

  test("says no more of a role of the whole cluster to those who may ask about one namespace", () => {
    const world = new World().role("r", GET_PODS).bound("r", ANN);
    expect(world.said(ASKED, "namespace")).toBe(
      'RBAC: allowed by ClusterRoleBinding "r-ann" of ClusterRole "r" to User "ann"',
    );
  });
});

describe("a denied request", () => {
  test.each<[string, World, string]>([
    ["nothing like it", new World().role("r", { ...GET_PODS, resources: ["nodes"] }).bound("r", ANN), ""],
    ["a grant to somebody else", new World().role("r", GET_PODS).bound("r", BOB).bound("r", BOB, "shop"), ""],
    [
      "another verb, in the namespace",
      new World().role("r", { ...GET_PODS, verbs: ["list"] }).bound("r", DEVS, "shop"),
      'nearest grants: RoleBinding "r-devs/shop" of ClusterRole "r" to Group "devs" has {APIGroups:[""], Resources:["pods"], Verbs:["list"]}',
    ],
    [
      "another name, everywhere",
      new World().role("r", { ...GET_PODS, resourceNames: ["db"] }).bound("r", ANN),
      'nearest grants: ClusterRoleBinding "r-ann" of ClusterRole "r" to User "ann" has {APIGroups:[""], Resources:["pods"], ResourceNames:["db"], Verbs:["get"]}',
    ],
    [
      "another namespace",
      new World().role("r", GET_PODS).bound("r", ANN, "ci"),
      'nearest grants: RoleBinding "r-ann/ci" of ClusterRole "r" to User "ann" allows it in the namespace "ci"',
    ],
  ])("%s", (_what, world, text) => expect(world.said(ASKED)).toBe(text));

  test("a denied path names grants of other verbs", () => {
    const world = new World().role("r", { verbs: ["post"], nonResourceURLs: ["/met*"] }).bound("r", ANN);
    const asked: Attributes = { kind: "nonResource", user: ASKED.user, verb: "get", path: "/metrics" };
    expect(world.said(asked)).toBe(
      'nearest grants: ClusterRoleBinding "r-ann" of ClusterRole "r" to User "ann" has {NonResourceURLs:["/met*"], Verbs:["post"]}',
    );
  });

  test("names nothing outside the namespace to those who may ask about that alone", () => {
    const world = new World().role("r", GET_PODS).role("l", { ...GET_PODS, verbs: ["list"] });
    world.bound("r", ANN, "ci").bound("l", ANN);
    expect(world.said(ASKED, "namespace")).toBe("");
    expect(world.bound("l", ANN, "shop").said(ASKED, "namespace")).toMatch(
      /^nearest grants: RoleBinding "l-ann\/shop"/,
    );
  });

  test("a search over many grants is bounded and names a few", () => {
    const world = new World().role("far", { ...GET_PODS, resources: ["nodes"] });
    for (let at = 0; at < 20; at += 1) world.role(`r${at}`, GET_PODS).bound(`r${at}`, ANN, `n${at}`);
    expect(world.said(ASKED).split(";")).toHaveLength(5);

    const rules = Array.from({ length: 5000 }, () => ({ ...GET_PODS, resources: ["nodes"], verbs: ["a", "b"] }));
    const many = new World().role("near", { ...GET_PODS, verbs: ["list"] }).role("far", ...rules);
    expect(many.bound("near", ANN).bound("far", ANN).said(ASKED)).toMatch(/^nearest grants of those looked at: /);
  });

  test("is told in a bounded text", () => {
    const verbs = Array.from({ length: 5 }, (_, at) => `${at}`.repeat(100_000));
    const world = new World().role("r", { ...GET_PODS, verbs }).bound("r", ANN);
    expect(world.said(ASKED).length).toBeLessThan(2100);
  });
});
