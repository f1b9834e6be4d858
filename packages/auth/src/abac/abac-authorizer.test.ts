import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import type { Attributes } from "../authorization/authorizer";
import { abacAuthorizer, PolicyIndex } from "./abac-authorizer";
import { type PolicyLines, readPolicyLines } from "./policy";

const vocabulary = vocabularyOf("orch");

function read(text: string, of = vocabulary): PolicyLines {
  const steps = readPolicyLines(text, "/etc/policy", of);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

const line = (spec: object) =>
  JSON.stringify({ apiVersion: "abac.authorization.orch.io/v1beta1", kind: "Policy", spec });
const authorizerOf = (text: string) => {
  const index = new PolicyIndex(read(text).policies);
  return abacAuthorizer(() => index);
};

const AUTHENTICATED = "system:authenticated";
const ANN = { name: "ann", groups: ["dev", AUTHENTICATED] };
const ANONYMOUS = { name: "system:anonymous", groups: ["system:unauthenticated"] };

const on = (change: Partial<Attributes & { kind: "resource" }> = {}): Attributes => ({
  ...{ kind: "resource", user: ANN, verb: "get", apiGroup: "", apiVersion: "v1", resource: "pods" },
  ...{ subresource: "", namespace: "shop", name: "web" },
  ...change,
});
const at = (path: string, verb = "get", user = ANN): Attributes => ({ kind: "nonResource", user, verb, path });

const EVERYWHERE = { namespace: "*", resource: "*", apiGroup: "*" };

describe("a line of version v1beta1", () => {
  test.each<[string, object, Attributes, boolean]>([
    ["for a user", { ...EVERYWHERE, user: "ann" }, on(), true],
    ["for another user", { ...EVERYWHERE, user: "bob" }, on(), false],
    ["for a group", { ...EVERYWHERE, group: "dev" }, on(), true],
    ["for another group", { ...EVERYWHERE, group: "ops" }, on(), false],
    ["for a user and a group", { ...EVERYWHERE, user: "ann", group: "dev" }, on(), true],
    ["for a user of another group", { ...EVERYWHERE, user: "ann", group: "ops" }, on(), false],
    ["for another user of a group", { ...EVERYWHERE, user: "bob", group: "dev" }, on(), false],
    ["for nobody", EVERYWHERE, on(), false],
    ["for every user", { ...EVERYWHERE, user: "*" }, on(), true],
    ["for every group", { ...EVERYWHERE, group: "*" }, on(), true],
    ["for every user, and nobody without credentials", { ...EVERYWHERE, user: "*" }, on({ user: ANONYMOUS }), false],
    [
      "for those without credentials",
      { ...EVERYWHERE, group: "system:unauthenticated" },
      on({ user: ANONYMOUS }),
      true,
    ],
    ["for reading, on get", { ...EVERYWHERE, user: "ann", readonly: true }, on(), true],
    ["for reading, on list", { ...EVERYWHERE, user: "ann", readonly: true }, on({ verb: "list" }), true],
    ["for reading, on watch", { ...EVERYWHERE, user: "ann", readonly: true }, on({ verb: "watch" }), true],
    ["for reading, on create", { ...EVERYWHERE, user: "ann", readonly: true }, on({ verb: "create" }), false],
    ["for all verbs, on create", { ...EVERYWHERE, user: "ann" }, on({ verb: "create" }), true],
    ["for a namespace", { ...EVERYWHERE, user: "ann", namespace: "shop" }, on(), true],
    ["for another namespace", { ...EVERYWHERE, user: "ann", namespace: "bank" }, on(), false],
    [
      "for a namespace, at the cluster scope",
      { ...EVERYWHERE, user: "ann", namespace: "shop" },
      on({ namespace: "" }),
      false,
    ],
    ["for no namespace", { ...EVERYWHERE, user: "ann", namespace: "" }, on(), false],
    [
      "for no namespace, at the cluster scope",
      { ...EVERYWHERE, user: "ann", namespace: "" },
      on({ namespace: "" }),
      true,
    ],
    ["for a resource", { ...EVERYWHERE, user: "ann", resource: "pods" }, on(), true],
    [
      "for a resource and its parts",
      { ...EVERYWHERE, user: "ann", resource: "pods" },
      on({ subresource: "log" }),
      true,
    ],
    ["for another resource", { ...EVERYWHERE, user: "ann", resource: "nodes" }, on(), false],
    ["for a group of the API", { ...EVERYWHERE, user: "ann", apiGroup: "apps" }, on({ apiGroup: "apps" }), true],
    ["for another group of the API", { ...EVERYWHERE, user: "ann", apiGroup: "apps" }, on(), false],
    ["for the core group alone", { ...EVERYWHERE, user: "ann", apiGroup: "" }, on({ apiGroup: "apps" }), false],
    ["for resources, on a path", { ...EVERYWHERE, user: "ann" }, at("/metrics"), false],
    ["for a path", { user: "ann", nonResourcePath: "/metrics" }, at("/metrics"), true],
    ["for a path, on one below", { user: "ann", nonResourcePath: "/metrics" }, at("/metrics/x"), false],
    ["for what begins with a path", { user: "ann", nonResourcePath: "/healthz*" }, at("/healthz/etcd"), true],
    ["for every path", { user: "ann", nonResourcePath: "*" }, at("/x"), true],
    ["for a path, to read", { user: "ann", nonResourcePath: "*", readonly: true }, at("/x", "post"), false],
    ["for paths, on a resource", { user: "ann", nonResourcePath: "*" }, on(), false],
    [
      "for a path, on what is nothing",
      { user: "ann", nonResourcePath: "/x" },
      on({ namespace: "", resource: "" }),
      true,
    ],
    ["for a resource, on a path that is none", { ...EVERYWHERE, user: "ann" }, at(""), true],
    ["for both, on a path", { ...EVERYWHERE, user: "ann", nonResourcePath: "/x" }, at("/x"), true],
    ["for both, on a resource", { ...EVERYWHERE, user: "ann", nonResourcePath: "/x" }, on(), true],
  ])("%s", (_what, spec, attributes, isAllowed) => {
    expect(authorizerOf(line(spec)).authorize(attributes)).toEqual(
      isAllowed ? { kind: "allow", reason: "" } : { kind: "noOpinion", reason: "No policy matched." },
    );
  });
});

describe("a line without a version", () => {
  test.each<[string, object, Attributes, boolean]>([
    ["for everybody", {}, on(), true],
    ["for everybody, and nobody without credentials", {}, on({ user: ANONYMOUS }), false],
    ["for everybody, on a path", {}, at("/x"), true],
    ["to read, on a write", { readonly: true }, on({ verb: "update" }), false],
    ["for a user", { user: "ann" }, on({ apiGroup: "apps" }), true],
    ["for another user", { user: "bob" }, on(), false],
    ["for every user by a star", { user: "*" }, on(), true],
    ["for a namespace, on a path", { user: "ann", namespace: "shop" }, at("/x"), false],
    ["for a resource, elsewhere", { user: "ann", resource: "pods" }, on({ namespace: "bank" }), true],
    ["for a resource, on a path", { user: "ann", resource: "pods" }, at("/x"), false],
    ["for a namespace, elsewhere", { user: "ann", namespace: "shop" }, on({ namespace: "bank" }), false],
  ])("%s", (_what, spec, attributes, isAllowed) => {
    expect(authorizerOf(JSON.stringify(spec)).authorize(attributes)).toMatchObject({
      kind: isAllowed ? "allow" : "noOpinion",
    });
  });
});

describe("a policy file", () => {
  test("has empty lines, comments and lines of both forms, of which it tells the number", () => {
    const text = ["", "# comment", "  # another", '{"user":"ann"}', line({ user: "bob" }), "\t", '{"group":"dev"}'];
    expect(read(text.join("\r\n"))).toMatchObject({ unversioned: 2, policies: [{}, {}, {}] });
    expect(read("")).toEqual({ policies: [], unversioned: 0 });
  });

  test.each<[string, RegExp]>([
    ['{"user":"ann"}\n\nnonsense', /^error reading policy file \/etc\/policy, line 3: nonsense: /],
    ["[]", /line 1: \[\]: it is not a JSON object$/],
    ['{"user":1}', /line 1: .*: user: it is not a string$/],
    ['{"readonly":"yes"}', /readonly: must be true or false$/],
    ['{"apiVersion":"v2","kind":"Policy"}', /expected kind Policy of abac\.authorization\.orch\.io\/v1beta1$/],
    ['{"kind":"Policy"}', /expected kind Policy/],
    [`{"apiVersion":"abac.authorization.orch.io/v1beta1","kind":"Policy","spec":7}`, /spec: it is not a JSON object$/],
    [`# ok\n${"x".repeat(100_000)}`, /line 2: x{200}\.\.\.: /],
  ])("is refused with file and line: %#", (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  test("speaks of the group of its vocabulary", () => {
    const text = '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Policy","spec":{"user":"ann"}}';
    expect(read(text, vocabularyOf("kubernetes")).policies).toHaveLength(1);
  });

  test("a policy file of tens of thousands of lines is read in steps", () => {
    const text = Array.from({ length: 30_000 }, (_, index) => line({ ...EVERYWHERE, user: `user-${index}` })).join(
      "\n",
    );
    expect(text.length).toBeGreaterThan(3 * 1024 * 1024);
    let steps = 0;
    const reading = readPolicyLines(text, "f", vocabulary);
    for (let step = reading.next(); step.done !== true; step = reading.next()) steps += 1;
    expect(steps).toBe(150);
  });
});

test("the rules of a user are those of the lines for it, in a namespace and everywhere", () => {
  const authorizer = authorizerOf(
    [
      line({ user: "ann", namespace: "shop", resource: "pods", apiGroup: "", readonly: true }),
      line({ group: "dev", namespace: "*", resource: "*", apiGroup: "apps" }),
      line({ user: "ann", namespace: "bank", resource: "nodes", apiGroup: "" }),
      line({ user: "ann", group: "ops", namespace: "*", resource: "nodes", apiGroup: "" }),
      line({ group: "*", namespace: "*", nonResourcePath: "/version", readonly: true }),
    ].join("\n"),
  );
  expect(authorizer.rulesFor?.(ANN, "shop")).toEqual({
    resourceRules: [
      { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods"] },
      { verbs: ["*"], apiGroups: ["apps"], resources: ["*"] },
    ],
    nonResourceRules: [{ verbs: ["get", "list", "watch"], nonResourceURLs: ["/version"] }],
    incomplete: false,
    problem: "",
  });
});

test.each<[string, readonly object[], { all: boolean; names: readonly string[] }]>([
  ["those that lines name", [{ namespace: "shop", resource: "pods" }], { all: false, names: ["shop"] }],
  ["all, where a line is for all", [{ namespace: "*", resource: "pods" }], { all: true, names: [] }],
  ["none for what lies in none", [{ namespace: "*", resource: "nodes" }], { all: false, names: [] }],
  ["none for paths", [{ namespace: "shop", nonResourcePath: "*" }], { all: false, names: [] }],
])("the namespaces of a user are %s", (_what, specs, { all, names }) => {
  const authorizer = authorizerOf(specs.map((spec) => line({ user: "ann", apiGroup: "", ...spec })).join("\n"));
  const access = authorizer.namespacesOf?.(ANN, { isOfCluster: (_group, plural) => plural === "nodes" });
  expect([access?.all, [...(access?.names ?? [])]]).toEqual([all, names]);
});

test.each(["orch", "kubernetes"] as const)(
  "lines may have the group names of either vocabulary in a server of %s",
  (name) => {
    const vocabulary = vocabularyOf(name);
    for (const [own, apiGroup] of [
      ["abac.authorization.orch.io", "rbac.authorization.orch.io"],
      ["abac.authorization.kubernetes.io", "rbac.authorization.k8s.io"],
    ]) {
      const text = JSON.stringify({ apiVersion: `${own}/v1beta1`, kind: "Policy", spec: { user: "ann", apiGroup } });
      const groups = read(text, vocabulary).policies.map((policy) => policy.apiGroup);
      expect(new Set(groups)).toEqual(new Set([apiGroup, vocabulary.groups.rbac]));
    }
  },
);
