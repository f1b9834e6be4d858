import { describe, expect, test } from "@jest/globals";
import { StatusError, type UserInfo } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import type { Attributes } from "../authorization/authorizer";
import { constrainedModes } from "./constrained-impersonation";
import type { Impersonation } from "./impersonation";

const vocabulary = vocabularyOf("kubernetes");
const modes = constrainedModes(vocabulary);
const KEY = "authentication.kubernetes.io/node-name";
const AGENT: UserInfo = { name: "system:serviceaccount:kube-system:agent", groups: [], extra: { [KEY]: ["n1"] } };
const ANN: UserInfo = { name: "ann", groups: ["devs"] };

const as = (name: string, more: Partial<Impersonation> = {}): Impersonation => ({
  ...{ name, uid: "", groups: [], extra: new Map() },
  ...more,
});
const listPods = (user: UserInfo): Attributes => ({
  ...{ kind: "resource", user, verb: "list", apiGroup: "", apiVersion: "v1", resource: "pods" },
  ...{ subresource: "", namespace: "shop", name: "" },
});

const textOf = (of: Attributes): string =>
  of.kind === "nonResource"
    ? `${of.verb} ${of.path}`
    : `${of.verb} ${of.apiGroup}/${of.resource}${of.subresource && `/${of.subresource}`} ${of.namespace}/${of.name}`;

/** Returns the checks of the modes that apply, by mode. */
function checksOf(wanted: Impersonation, user: UserInfo, action = listPods(user)): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const mode of modes) {
    if (!mode.applies(wanted, user)) continue;
    const texts: string[] = [];
    found[mode.constraint.replace("impersonate:", "")] = texts;
    try {
      for (const check of mode.checks(action, wanted)) {
        texts.push("all" in check ? `${textOf(check.all)} or ${check.each.length}` : textOf(check));
      }
    } catch (error) {
      texts.push((error as StatusError).message.replace(/^.*?: .*?: /, ""));
    }
  }
  return found;
}

const AUTH = "authentication.k8s.io";
const on = (mode: string) => `impersonate-on:${mode}:list /pods shop/`;

describe("constrained impersonation requires", () => {
  test.each<[string, Impersonation, UserInfo, Record<string, string[]>]>([
    [
      "a user and its action",
      as("jane"),
      ANN,
      { "user-info": [on("user-info"), `impersonate:user-info ${AUTH}/users /jane`] },
    ],
    [
      "every part of a user",
      as("jane", { uid: "7", groups: ["a", "b"], extra: new Map([["x.example/k", ["v"]]]) }),
      ANN,
      {
        "user-info": [
          on("user-info"),
          ...["users /jane", "uids /7", "groups /a", "groups /b", "userextras/x.example/k /v"].map(
            (text) => `impersonate:user-info ${AUTH}/${text}`,
          ),
        ],
      },
    ],
    [
      "many groups, or all of them",
      as("jane", { groups: ["a", "b", "c", "d"] }),
      ANN,
      {
        "user-info": [
          on("user-info"),
          `impersonate:user-info ${AUTH}/users /jane`,
          `impersonate:user-info ${AUTH}/groups /* or 4`,
        ],
      },
    ],
    [
      "a service account in its namespace",
      as("system:serviceaccount:shop:robot"),
      ANN,
      { serviceaccount: [on("serviceaccount"), `impersonate:serviceaccount ${AUTH}/serviceaccounts shop/robot`] },
    ],
    [
      "nothing of a service account with groups, which no mode has",
      as("system:serviceaccount:shop:robot", { groups: ["a"] }),
      ANN,
      {},
    ],
    [
      "a node",
      as("system:node:n1"),
      ANN,
      { "arbitrary-node": [on("arbitrary-node"), `impersonate:arbitrary-node ${AUTH}/nodes /n1`] },
    ],
    [
      "any node of service accounts for their own node",
      as("system:node:n1"),
      AGENT,
      {
        "associated-node": [on("associated-node"), `impersonate:associated-node ${AUTH}/nodes /*`],
        "arbitrary-node": [on("arbitrary-node"), `impersonate:arbitrary-node ${AUTH}/nodes /n1`],
      },
    ],
    [
      "an arbitrary node of service accounts for another node",
      as("system:node:n2"),
      AGENT,
      { "arbitrary-node": [on("arbitrary-node"), `impersonate:arbitrary-node ${AUTH}/nodes /n2`] },
    ],
    ["no permission for a node with groups, which no mode has", as("system:node:n1", { groups: ["a"] }), ANN, {}],
  ])("%s", (_what, wanted, user, expected) => expect(checksOf(wanted, user)).toEqual(expected));

  test("permission for paths too", () => {
    const action: Attributes = { kind: "nonResource", user: ANN, verb: "get", path: "/metrics" };
    expect(checksOf(as("jane"), ANN, action)["user-info"]?.[0]).toBe("impersonate-on:user-info:get /metrics");
  });

  test("hides the node of an associated service account from authorizers", () => {
    const [mode] = modes;
    const [check] = [...(mode?.checks(listPods(AGENT), as("system:node:n1")) ?? [])] as Attributes[];
    expect(check?.user).toEqual({
      ...AGENT,
      extra: { "authentication.kubernetes.io/associated-node-keys": [KEY] },
    });
    expect(mode?.userOf(as("system:node:n1"))).toEqual({
      name: "system:node:n1",
      groups: ["system:nodes", "system:authenticated"],
    });
  });

  test.each<[string, Partial<Impersonation>]>([
    ["impersonating the system:masters group is not allowed", { groups: ["a", "system:masters"] }],
    ["impersonating the empty string group is not allowed", { groups: [""] }],
    [
      'impersonating an invalid key in extra is not allowed: "scopes" must be a domain-prefixed path (such as "acme.io/foo")',
      { extra: new Map([["scopes", ["a"]]]) },
    ],
    ["impersonating the empty string value in extra is not allowed", { extra: new Map([["a.example/b", [""]]]) }],
  ])("permission is not enough: %s", (message, more) => {
    const [mode] = modes.filter(({ constraint }) => constraint === "impersonate:user-info");
    let refusal: unknown;
    try {
      for (const _check of mode?.checks(listPods(ANN), as("jane", more)) ?? []);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(StatusError);
    expect(refusal).toMatchObject({ code: 403, message: expect.stringContaining(message) });
  });
});
