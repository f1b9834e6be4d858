import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { type Attributes, chainOf, type Decision, NO_OPINION, rulesFor } from "./authorization/authorizer";
import { forbiddenRequest } from "./authorization/forbidden";
import { authorizerFor, parseAuthorizationModes } from "./authorization-modes";
import { RbacGrants } from "./rbac/rbac-grants";

const NOTHING_GRANTED = new RbacGrants({ vocabulary: vocabularyOf("orch") });

const GET_POD: Attributes = {
  kind: "resource",
  user: { name: "ann", groups: [] },
  verb: "get",
  apiGroup: "",
  apiVersion: "v1",
  resource: "pods",
  subresource: "",
  namespace: "shop",
  name: "web",
};

describe("authorization modes", () => {
  test.each<[string, string[], Decision["kind"]]>([
    ["AlwaysAllow lets everybody do everything", ["AlwaysAllow"], "allow"],
    ["AlwaysDeny approves nothing", ["AlwaysDeny"], "noOpinion"],
    ["AlwaysDeny does not stop a later mode", ["AlwaysDeny", "AlwaysAllow"], "allow"],
    ["RBAC without a grant approves nothing", ["RBAC"], "noOpinion"],
    ["RBAC leaves the rest to later modes", ["RBAC", "AlwaysAllow"], "allow"],
  ])("%s", (_behaviour, names, kind) => {
    expect(decide(names, GET_POD).kind).toBe(kind);
  });

  test.each(["AlwaysDeny", "RBAC"])("%s does not hold back the privileged group", (mode) => {
    const attributes = { ...GET_POD, user: { name: "root", groups: ["system:masters"] } };
    expect(decide([mode], attributes).kind).toBe("allow");
  });

  test.each([
    [[], "authorization-mode: at least one mode is required"],
    [
      ["RBAC", "Rbac"],
      'authorization-mode "Rbac" is unknown; the modes are AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node',
    ],
    [
      ["toString"],
      'authorization-mode "toString" is unknown; the modes are AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node',
    ],
    [["RBAC", "RBAC"], 'authorization-mode "RBAC" is set more than once'],
  ])("%j is refused", (names, message) => {
    expect(() => parseAuthorizationModes(names)).toThrow(new Error(message));
  });
});

describe("the rules of a user", () => {
  const everything = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
  const rulesIn = (modes: string[], ...groups: string[]) =>
    authorizerFor(parseAuthorizationModes(modes), { rbac: NOTHING_GRANTED }).rulesFor?.(
      { name: "ann", groups },
      "shop",
    );

  test.each<[string[], string[], object[]]>([
    [["AlwaysAllow"], [], everything],
    [["AlwaysDeny"], [], []],
    [["AlwaysDeny"], ["system:masters"], everything],
    [["RBAC"], [], []],
    [["RBAC", "AlwaysAllow"], [], everything],
  ])("in the modes %j, as a member of %j, are %j", (modes, groups, resourceRules) => {
    expect(rulesIn(modes, ...groups)).toMatchObject({ resourceRules, incomplete: false, problem: "" });
  });

  test("are incomplete where an authorizer cannot list them", () => {
    const chain = chainOf([saying(NO_OPINION)]);
    expect(rulesFor(chain, { name: "ann", groups: [] }, "shop")).toEqual({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: true,
      problem: "an authorizer cannot list its rules",
    });
  });
});

describe("a chain of authorizers", () => {
  test("stops at the first that allows or denies", () => {
    const chain = chainOf([
      saying(NO_OPINION),
      saying({ kind: "deny", reason: "no" }),
      saying({ kind: "allow", reason: "" }),
    ]);
    expect(chain.authorize(GET_POD)).toEqual({ kind: "deny", reason: "no" });
  });

  test("joins the reasons of those without opinion", () => {
    const chain = chainOf([
      saying({ kind: "noOpinion", reason: "one" }),
      saying(NO_OPINION),
      saying({ kind: "noOpinion", reason: "two" }),
    ]);
    expect(chain.authorize(GET_POD)).toEqual({ kind: "noOpinion", reason: "one\ntwo" });
  });

  test("waits for one that answers late, then goes on", async () => {
    const late = (decision: Decision) => ({ authorize: async () => decision });
    const without = late({ kind: "noOpinion", reason: "late" });
    expect(await chainOf([without, saying({ kind: "allow", reason: "yes" })]).authorize(GET_POD)).toEqual({
      kind: "allow",
      reason: "yes",
    });
    expect(await chainOf([without]).authorize(GET_POD)).toEqual({ kind: "noOpinion", reason: "late" });
    expect(await chainOf([late({ kind: "allow", reason: "" }), without]).authorize(GET_POD)).toMatchObject({
      kind: "allow",
    });
  });
});

describe("a refusal", () => {
  test.each<[string, Partial<Attributes>, string, string, object]>([
    [
      "of one object in a namespace",
      {},
      "",
      'pods "web" is forbidden: User "ann" cannot get resource "pods" in API group "" in the namespace "shop"',
      { name: "web", kind: "pods" },
    ],
    [
      "of a collection in a group at the cluster scope, with a reason",
      { apiGroup: "apps", resource: "deployments", verb: "list", name: "", namespace: "" },
      "RBAC: something",
      'deployments.apps is forbidden: User "ann" cannot list resource "deployments" in API group "apps" at the cluster scope: RBAC: something',
      { group: "apps", kind: "deployments" },
    ],
    [
      "of a sub-resource",
      { subresource: "log" },
      "",
      'pods "web" is forbidden: User "ann" cannot get resource "pods/log" in API group "" in the namespace "shop"',
      { name: "web", kind: "pods" },
    ],
    [
      "keeps markup of clients out of browsers",
      { user: { name: "<b>&co", groups: [] } },
      "",
      'pods "web" is forbidden: User "&lt;b&gt;&amp;co" cannot get resource "pods" in API group "" in the namespace "shop"',
      { name: "web", kind: "pods" },
    ],
  ])("%s", (_of, change, reason, message, details) => {
    const error = forbiddenRequest({ ...GET_POD, ...change } as Attributes, reason);
    expect([error.code, error.reason, error.message, error.details]).toEqual([403, "Forbidden", message, details]);
  });

  test("the refusal of a path", () => {
    const error = forbiddenRequest({ kind: "nonResource", user: GET_POD.user, verb: "get", path: "/metrics" }, "");
    expect(error.message).toBe('forbidden: User "ann" cannot get path "/metrics"');
  });
});

function decide(names: string[], attributes: Attributes): Decision {
  const deps = { rbac: NOTHING_GRANTED };
  return authorizerFor(parseAuthorizationModes(names), deps).authorize(attributes) as Decision;
}

function saying(decision: Decision) {
  return { authorize: () => decision };
}
