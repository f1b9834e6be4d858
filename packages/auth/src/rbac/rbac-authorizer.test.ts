import { describe, expect, test } from "@jest/globals";
import type { UserInfo } from "@orch/machinery";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import type { Attributes, Decision, NonResourceAttributes, ResourceAttributes } from "../authorization/authorizer";
import { metadataOf, type PolicyRule, type Subject } from "./policy";
import { rbacAuthorizer } from "./rbac-authorizer";
import { RbacGrants, type RbacKind } from "./rbac-grants";

const ALICE: Subject = { kind: "User", name: "alice" };
const GET_POD: ResourceAttributes = {
  kind: "resource",
  user: user("alice"),
  verb: "get",
  apiGroup: "",
  apiVersion: "v1",
  resource: "pods",
  subresource: "",
  namespace: "shop",
  name: "web",
};

describe("rules", () => {
  const podReader: PolicyRule = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
  const named: PolicyRule = { ...podReader, resourceNames: ["web"] };

  test.each<[string, PolicyRule, Partial<ResourceAttributes>, boolean]>([
    ["verb, group and resource as given", podReader, {}, true],
    ["another verb", podReader, { verb: "delete" }, false],
    ["another group", podReader, { apiGroup: "apps" }, false],
    ["another resource", podReader, { resource: "secrets" }, false],
    ["a sub-resource is not its parent", podReader, { subresource: "log" }, false],
    ["a sub-resource by name", { ...podReader, resources: ["pods/log"] }, { subresource: "log" }, true],
    ["a parent is not its sub-resource", { ...podReader, resources: ["pods/log"] }, {}, false],
    ["a sub-resource of any resource", { ...podReader, resources: ["*/log"] }, { subresource: "log" }, true],
    ["another sub-resource of any", { ...podReader, resources: ["*/scale"] }, { subresource: "log" }, false],
    ["any sub-resource is no resource", { ...podReader, resources: ["*/log"] }, {}, false],
    ["every resource holds sub-resources", { ...podReader, resources: ["*"] }, { subresource: "log" }, true],
    ["any verb", { ...podReader, verbs: ["*"] }, { verb: "watch" }, true],
    ["any group", { ...podReader, apiGroups: ["*"] }, { apiGroup: "apps" }, true],
    ["the name that is allowed", named, { name: "web" }, true],
    ["another name", named, { name: "db" }, false],
    ["no name where names are listed", named, { name: "", verb: "list" }, false],
    ["no rule for resources", { verbs: ["*"], nonResourceURLs: ["*"] }, {}, false],
  ])("%s", (_behaviour, rule, change, allowed) => {
    expect(decide(boundTo(ALICE, rule), { ...GET_POD, ...change }).kind).toBe(allowed ? "allow" : "noOpinion");
  });

  test.each<[string, string[], string, boolean]>([
    ["the path itself", ["/healthz"], "/healthz", true],
    ["a path below it", ["/healthz"], "/healthz/etcd", false],
    ["a path below a star", ["/healthz/*"], "/healthz/etcd", true],
    ["the path before a star", ["/healthz/*"], "/healthz", false],
    ["a path that begins like one before several stars", ["/met**"], "/metrics", true],
    ["a star that is not at the end", ["/*/etcd"], "/healthz/etcd", false],
    ["every path", ["*"], "/metrics", true],
  ])("%s", (_behaviour, nonResourceURLs, path, allowed) => {
    const world = boundTo(ALICE, { verbs: ["get"], nonResourceURLs });
    expect(decide(world, { kind: "nonResource", user: user("alice"), verb: "get", path }).kind).toBe(
      allowed ? "allow" : "noOpinion",
    );
  });

  test("a rule with null lists, as some clients store them, allows nothing", () => {
    const rule = { verbs: ["get"], apiGroups: null, resources: null } as unknown as PolicyRule;
    expect(decide(boundTo(ALICE, rule), GET_POD).kind).toBe("noOpinion");
  });
});

describe("bindings", () => {
  const rules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"] }];

  test.each<[string, Subject, UserInfo, string]>([
    ["a user", ALICE, user("alice"), 'User "alice"'],
    ["a group", { kind: "Group", name: "devs" }, user("bob", "devs"), 'Group "devs"'],
    [
      "a service account",
      { kind: "ServiceAccount", name: "robot", namespace: "ci" },
      user("system:serviceaccount:ci:robot"),
      'ServiceAccount "robot/ci"',
    ],
  ])("grant to %s, and say so", (_whom, subject, asking, told) => {
    const world = { clusterRoles: { reader: rules }, bindings: [binding("b", "reader", subject)] };
    expect(decide(world, { ...GET_POD, user: asking })).toEqual({
      kind: "allow",
      reason: `RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to ${told}`,
    });
    expect(decide(world, { ...GET_POD, user: user("mallory", "others") }).kind).toBe("noOpinion");
  });

  test("inside a namespace grant there, and nowhere else", () => {
    const world = {
      clusterRoles: { reader: rules },
      localBindings: { shop: [binding("b", "reader", ALICE, "shop")] },
    };
    expect(decide(world, GET_POD)).toEqual({
      kind: "allow",
      reason: 'RBAC: allowed by RoleBinding "b/shop" of ClusterRole "reader" to User "alice"',
    });
    expect(decide(world, { ...GET_POD, namespace: "other" }).kind).toBe("noOpinion");
    expect(decide(world, { ...GET_POD, namespace: "" }).kind).toBe("noOpinion");
  });

  test("inside a namespace mean service accounts of it when they name no namespace", () => {
    const world = {
      clusterRoles: { reader: rules },
      localBindings: { shop: [binding("b", "reader", { kind: "ServiceAccount", name: "robot" }, "shop")] },
    };
    expect(decide(world, { ...GET_POD, user: user("system:serviceaccount:shop:robot") }).kind).toBe("allow");
    expect(decide(world, { ...GET_POD, user: user("system:serviceaccount:other:robot") }).kind).toBe("noOpinion");
  });

  test("a binding of a missing role reports an error to its subjects and hides no other grant", () => {
    const world = {
      clusterRoles: { reader: rules },
      bindings: [binding("b1", "gone", ALICE), binding("b2", "reader", { kind: "Group", name: "devs" })],
      localBindings: { shop: [binding("b3", "lost", ALICE, "shop", "Role")] },
    };
    expect(decide(world, { ...GET_POD, user: user("alice", "devs") }).kind).toBe("allow");
    expect(decide(world, { ...GET_POD, namespace: "" }).reason).toBe(
      'RBAC: clusterrole.rbac.authorization.orch.io "gone" not found',
    );
    expect(decide(world, GET_POD).reason).toBe(
      'RBAC: [clusterrole.rbac.authorization.orch.io "gone" not found, role.rbac.authorization.orch.io "lost" not found]',
    );
    expect(decide(world, { ...GET_POD, user: user("mallory") }).reason).toBe("");
  });

  test("and roles are in force from each change on, in whichever order they come", () => {
    const grants = new RbacGrants({ vocabulary: vocabularyOf("orch") });
    const kindNow = () => (rbacAuthorizer(grants).authorize(GET_POD) as Decision).kind;
    const put = (kind: RbacKind, object: JsonObject | undefined) =>
      grants.apply({ kind, namespace: kind === "RoleBinding" ? "shop" : "", name: "b", object, revision: 1 });
    expect(kindNow()).toBe("noOpinion");
    put("RoleBinding", binding("b", "b", ALICE, "shop"));
    expect(kindNow()).toBe("noOpinion");
    put("ClusterRole", { metadata: { name: "b" }, rules });
    expect(kindNow()).toBe("allow");
    put("ClusterRole", { metadata: { name: "b" }, rules: [] });
    expect(kindNow()).toBe("noOpinion");
    put("ClusterRole", { metadata: { name: "b" }, rules });
    put("RoleBinding", binding("b", "b", { kind: "User", name: "bob" }, "shop"));
    expect(kindNow()).toBe("noOpinion");
    put("RoleBinding", binding("b", "b", ALICE, "shop"));
    expect(kindNow()).toBe("allow");
    put("RoleBinding", undefined);
    expect(kindNow()).toBe("noOpinion");
  });

  test("are asked for what has happened before each decision", () => {
    let asked = 0;
    const catchUp = () => {
      asked += 1;
    };
    const grants = new RbacGrants({ vocabulary: vocabularyOf("orch"), catchUp });
    for (let request = 0; request < 3; request++) rbacAuthorizer(grants).authorize(GET_POD);
    expect(asked).toBe(3);
  });
});

describe("the rules of a user", () => {
  const pods = { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["web"] };
  const secrets = { verbs: ["*"], apiGroups: [""], resources: ["secrets"] };
  const paths = { verbs: ["get"], nonResourceURLs: ["/healthz"] };
  const world = (): Content => ({
    clusterRoles: { everywhere: [pods, paths], local: [secrets, { verbs: ["get"], nonResourceURLs: ["/metrics"] }] },
    bindings: [binding("b1", "everywhere", { kind: "Group", name: "devs" }), binding("b2", "gone", ALICE)],
    localBindings: { shop: [binding("b3", "local", ALICE, "shop")] },
  });
  const rulesOf = (asking: UserInfo, namespace: string) =>
    rbacAuthorizer(grantsOf(world())).rulesFor?.(asking, namespace);

  test("are those of all bindings that hold there; one of a namespace says nothing of paths", () =>
    expect(rulesOf(user("alice", "devs"), "shop")).toEqual({
      resourceRules: [pods, secrets],
      nonResourceRules: [paths],
      incomplete: false,
      problem: 'clusterrole.rbac.authorization.orch.io "gone" not found',
    }));

  test("are as many as can be read, and say where that is not all", () => {
    const verbs = Array.from({ length: 15_000 }, (_, at) => `v${at}`);
    const rule = { verbs, apiGroups: [""], resources: ["pods"] };
    const grants = grantsOf({
      clusterRoles: { one: [rule, rule], other: [rule] },
      bindings: [binding("b1", "one", ALICE), binding("b2", "other", ALICE)],
    });
    expect(rbacAuthorizer(grants).rulesFor?.(user("alice"), "shop")).toEqual({
      resourceRules: [rule, rule],
      nonResourceRules: [],
      incomplete: true,
      problem: "the rules have more than 20000 values in total",
    });
  });

  test("are none of other users' and of other namespaces'", () => {
    expect(rulesOf(user("alice", "devs"), "other")?.resourceRules).toEqual([pods]);
    expect(rulesOf(user("bob"), "shop")).toEqual({
      resourceRules: [],
      nonResourceRules: [],
      incomplete: false,
      problem: "",
    });
  });
});

interface Content {
  readonly clusterRoles?: Readonly<Record<string, PolicyRule[]>>;
  readonly bindings?: readonly JsonObject[];
  readonly localBindings?: Readonly<Record<string, readonly JsonObject[]>> | undefined;
}

function grantsOf({ clusterRoles = {}, bindings = [], localBindings = {} }: Content): RbacGrants {
  const grants = new RbacGrants({ vocabulary: vocabularyOf("orch") });
  const put = (kind: RbacKind, namespace: string, object: JsonObject) =>
    grants.apply({ kind, namespace, name: metadataOf(object).name, object, revision: 1 });
  for (const [name, rules] of Object.entries(clusterRoles)) put("ClusterRole", "", { metadata: { name }, rules });
  for (const object of bindings) put("ClusterRoleBinding", "", object);
  for (const [namespace, objects] of Object.entries(localBindings)) {
    for (const object of objects) put("RoleBinding", namespace, object);
  }
  return grants;
}

function boundTo(subject: Subject, rule: PolicyRule): Content {
  return { clusterRoles: { role: [rule] }, bindings: [binding("b", "role", subject)] };
}

function binding(name: string, role: string, subject: Subject, namespace?: string, kind = "ClusterRole"): JsonObject {
  return {
    metadata: { name, ...(namespace && { namespace }) },
    roleRef: { kind, name: role, apiGroup: "rbac.authorization.orch.io" },
    subjects: [subject],
  };
}

function decide(content: Content, attributes: ResourceAttributes | NonResourceAttributes): Decision {
  return rbacAuthorizer(grantsOf(content)).authorize(attributes as Attributes) as Decision;
}

function user(name: string, ...groups: string[]): UserInfo {
  return { name, groups };
}
