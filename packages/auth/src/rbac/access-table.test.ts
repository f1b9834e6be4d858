// Rules against requests: which requests each rule allows when it is bound cluster-wide, and when it is bound in the
// namespace `shop`.
import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import type { Attributes, Decision } from "../authorization/authorizer";
import { authorizerFor } from "../authorization-modes";
import type { PolicyRule, Subject } from "./policy";
import { RbacGrants } from "./rbac-grants";

/** `verb group:resource/subresource name@namespace`, or `verb path`. */
const REQUESTS = {
  a: "get :pods web@shop",
  b: "list :pods @shop",
  c: "list :pods @",
  d: "get :pods/log web@shop",
  e: "create :pods/exec web@shop",
  f: "get apps:deployments web@shop",
  g: "update apps:deployments/scale web@shop",
  h: "get :nodes n1@",
  i: "delete :pods db@shop",
  j: "deletecollection :pods @shop",
  k: "get :pods web@ci",
  l: "get /healthz",
  m: "get /healthz/etcd",
  n: "post /metrics",
  o: "get :namespaces shop@shop",
  p: "impersonate :users jane@",
} as const;

/**
 * `verbs groups:resources [= names]`, or `verbs paths`; the requests allowed cluster-wide, and those allowed in the
 * namespace alone.
 */
const RULES: readonly (readonly [rule: string, everywhere: string, inShop: string])[] = [
  ["get :pods", "ak", "a"],
  ["get,list :pods", "abck", "ab"],
  ["* :pods", "abcijk", "abij"],
  ["get :pods/log", "d", "d"],
  ["get :*/log", "d", "d"],
  ["* :pods/log = web", "d", "d"],
  ["* :*", "abcdehijkop", "abdeijo"],
  ["get *:*", "adfhko", "adfo"],
  ["* *:*", "abcdefghijkop", "abdefgijo"],
  ["get :pods = web", "ak", "a"],
  ["get,list :pods = web", "ak", "a"],
  ["delete,deletecollection :pods = web", "", ""],
  ["delete :pods = web,db", "i", "i"],
  ["get apps:deployments", "f", "f"],
  ["update apps:deployments/scale", "g", "g"],
  ["update *:*/scale", "g", "g"],
  ["get apps,:pods,deployments", "afk", "af"],
  ["create :pods/exec", "e", "e"],
  ["get :nodes", "h", ""],
  ["get :namespaces = shop", "o", "o"],
  ["impersonate :users = jane", "p", ""],
  ["get /healthz", "l", ""],
  ["get /healthz/*", "m", ""],
  ["get /healthz*", "lm", ""],
  ["* *", "lmn", ""],
  ["post /metrics,/healthz", "n", ""],
  ["GET :pods", "", ""],
  ["get :PODS", "", ""],
  ["get :pods/*", "", ""],
  ["get :*/*", "", ""],
  ["get :pod*", "", ""],
  ["get batch:pods", "", ""],
  ["get :log", "", ""],
  ["get /HEALTHZ", "", ""],
  ["get /healthz/", "", ""],
];

/** Each names the same user, once by user name and once by group. */
const SUBJECTS: readonly (readonly [string, Subject, { readonly name: string; readonly groups: readonly string[] }])[] =
  [
    ["a user", { kind: "User", name: "ann" }, { name: "ann", groups: [] }],
    ["a group", { kind: "Group", name: "devs" }, { name: "ann", groups: ["ops", "devs"] }],
    [
      "a service account",
      { kind: "ServiceAccount", name: "bot", namespace: "ci" },
      { name: "system:serviceaccount:ci:bot", groups: ["system:serviceaccounts"] },
    ],
  ];

const listOf = (text: string) => text.split(",");

function ruleOf(text: string): PolicyRule {
  const [verbs = "", what = "", , names] = text.split(" ");
  if (!what.includes(":")) return { verbs: listOf(verbs), nonResourceURLs: listOf(what) };
  const [groups = "", resources = ""] = what.split(":");
  const named = names === undefined ? {} : { resourceNames: listOf(names) };
  return { verbs: listOf(verbs), apiGroups: listOf(groups), resources: listOf(resources), ...named };
}

function requestOf(text: string, user: Attributes["user"]): Attributes {
  const [verb = "", what = "", where = ""] = text.split(" ");
  if (!what.includes(":")) return { kind: "nonResource", user, verb, path: what };
  const [apiGroup = "", full = ""] = what.split(":");
  const [resource = "", subresource = ""] = full.split("/");
  const [name = "", namespace = ""] = where.split("@");
  return { kind: "resource", user, verb, apiGroup, apiVersion: "v1", resource, subresource, namespace, name };
}

function bound(rule: string, subject: Subject, namespace: string): RbacGrants {
  const grants = new RbacGrants({ vocabulary: vocabularyOf("orch") });
  const put = (kind: "ClusterRole" | "ClusterRoleBinding" | "RoleBinding", at: string, content: JsonObject) =>
    grants.apply({ kind, namespace: at, name: "it", object: content, revision: 1 });
  const roleRef = { kind: "ClusterRole", name: "it", apiGroup: "rbac.authorization.orch.io" };
  put("ClusterRole", "", { rules: [ruleOf(rule)] });
  put(namespace === "" ? "ClusterRoleBinding" : "RoleBinding", namespace, { roleRef, subjects: [subject] });
  return grants;
}

/** Returns the letters of all allowed requests. */
function allowed(grants: RbacGrants, user: Attributes["user"]): string {
  const authorizer = authorizerFor(["RBAC"], { rbac: grants });
  const letters = Object.entries(REQUESTS).filter(([, text]) => {
    const { kind } = authorizer.authorize(requestOf(text, user)) as Decision;
    return kind === "allow";
  });
  return letters.map(([letter]) => letter).join("");
}

describe.each(SUBJECTS)("bound to %s", (_what, subject, user) => {
  test.each(RULES)("the rule `%s` allows %j everywhere, and %j in a namespace", (rule, everywhere, inShop) => {
    expect(allowed(bound(rule, subject, ""), user)).toBe(everywhere);
    expect(allowed(bound(rule, subject, "shop"), user)).toBe(inShop);
    const others = { name: "mallory", groups: ["ann", "bot"] };
    expect(allowed(bound(rule, subject, ""), others)).toBe("");
  });
});
