// Random roles, bindings and requests over a small vocabulary, so that they match often. The same seed gives the same
// results.
import type { Attributes } from "../authorization/authorizer";
import type { PolicyRule } from "../rbac/policy";
import type { StoredObject } from "./naive-rbac";

const VERBS = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "delete",
  "deletecollection",
  "patch",
  "bind",
  "use",
  "proxy",
];
const GROUPS = ["", "apps", "batch", "example.com", "g1", "g2", "g3", "g4", "g5"];
const RESOURCES = ["pods", "pods/log", "pods/exec", "secrets", "deployments", "deployments/scale", "nodes", "jobs"];
const MORE_RESOURCES = ["r1", "r2", "r3/log", "r4", "r5/scale", "*/log", "*/scale"];
const MANY_RESOURCES = ["pods", "*/log", ...Array.from({ length: 1100 }, (_, at) => `many-${at}`)];
const NAMES = ["", "a", "b", "c"];
const NAMESPACES = ["shop", "ci", "dev"];
const USERS = ["ann", "bob", "system:serviceaccount:shop:robot", "system:serviceaccount:ci:robot"];
const USER_GROUPS = ["devs", "ops", "all"];
const LONG = `/long/${"x".repeat(80)}`;
const PATHS = ["/", "/api", "/apis", "/apis/x", "/healthz", "/healthz/etcd", LONG, `${LONG}/y`];
const URLS = [
  "*",
  "/api*",
  "/apis/*",
  "/healthz",
  "/healthz/*",
  "/heal*",
  LONG,
  `${LONG}*`,
  `${LONG}/*`,
  "/he**",
  "/api/x**",
];
const MANY_URLS = ["/heal*", LONG, `${LONG}*`, "/apis/x", ...Array.from({ length: 1100 }, (_, at) => `/many/${at}*`)];
const ROLES = ["r1", "r2", "r3", "r4"];
const BINDINGS = ["b1", "b2", "b3", "b4", "b5", "b6"];

export class RandomPolicy {
  constructor(private readonly random: () => number) {}

  /** @param count number of possible values */
  integer(count: number): number {
    return Math.floor(this.random() * count);
  }

  one<Item>(of: readonly Item[]): Item {
    return of[this.integer(of.length)] as Item;
  }

  /** Returns at least one item, without duplicates. */
  private some<Item>(of: readonly Item[], most = of.length): Item[] {
    const wanted = 1 + this.integer(most);
    return [...new Set(Array.from({ length: wanted }, () => this.one(of)))];
  }

  /** Returns mostly the first three, so that requests are often granted. */
  private often(of: readonly string[]): readonly string[] {
    return this.integer(4) === 0 ? of : of.slice(0, 3);
  }

  private rule(ofCluster: boolean): PolicyRule {
    if (ofCluster && this.integer(5) === 0) {
      return {
        verbs: this.integer(3) === 0 ? ["*"] : this.some(this.often(VERBS), 3),
        nonResourceURLs: this.some(URLS, 3),
      };
    }
    // Some rules combine to more rights than are indexed one by one.
    if (this.integer(12) === 0) {
      const resources = [...RESOURCES, ...MORE_RESOURCES].filter(() => this.integer(8) > 0);
      const names = this.integer(2) === 0 ? {} : { resourceNames: ["a", "b", "x", "y"] };
      return { verbs: VERBS.slice(this.integer(2)), apiGroups: GROUPS.slice(this.integer(2)), resources, ...names };
    }
    // Some rules have more keys than are indexed at all.
    if (this.integer(60) === 0) return { verbs: [this.one(VERBS)], apiGroups: GROUPS, resources: MANY_RESOURCES };
    if (ofCluster && this.integer(60) === 0) return { verbs: this.some(VERBS, 3), nonResourceURLs: MANY_URLS };
    const any = () => this.integer(4) === 0;
    return {
      verbs: any() ? ["*"] : this.some(this.often(VERBS), 4),
      apiGroups: any() ? ["*"] : this.some(this.often(GROUPS), 3),
      resources: any() ? ["*"] : this.some([...RESOURCES, ...MORE_RESOURCES], 6),
      ...(this.integer(4) === 0 ? { resourceNames: this.some(NAMES, 2) } : {}),
    };
  }

  role(): StoredObject {
    const ofCluster = this.integer(2) === 0;
    const [namespace, name] = [ofCluster ? "" : this.one(NAMESPACES), this.one(ROLES)];
    const rules = Array.from({ length: this.integer(5) }, () => this.rule(ofCluster));
    const object = { metadata: { name, namespace }, rules: this.integer(20) === 0 ? null : rules };
    return { kind: ofCluster ? "ClusterRole" : "Role", namespace, name, object };
  }

  binding(): StoredObject {
    const ofCluster = this.integer(3) === 0;
    const [namespace, name] = [ofCluster ? "" : this.one(NAMESPACES), this.one(BINDINGS)];
    const kind = ofCluster || this.integer(2) === 0 ? "ClusterRole" : "Role";
    const roleRef = { apiGroup: "rbac.authorization.orch.io", kind, name: this.one(ROLES) };
    const subjects = Array.from({ length: this.integer(6) }, () => this.subject());
    const object = { metadata: { name, namespace }, roleRef, subjects };
    return { kind: ofCluster ? "ClusterRoleBinding" : "RoleBinding", namespace, name, object };
  }

  private subject() {
    switch (this.integer(3)) {
      case 0:
        return { kind: "User", name: this.one(USERS) };
      case 1:
        return { kind: "Group", name: this.one(USER_GROUPS) };
      default:
        return {
          kind: "ServiceAccount",
          name: "robot",
          ...(this.integer(2) === 0 && { namespace: this.one(NAMESPACES) }),
        };
    }
  }

  request(): Attributes {
    const user = { name: this.one(USERS), groups: this.integer(3) === 0 ? [] : this.some(USER_GROUPS, 2) };
    if (this.integer(6) === 0)
      return { kind: "nonResource", user, verb: this.one(this.often(VERBS)), path: this.one(PATHS) };
    const [resource = "", subresource = ""] = this.one(RESOURCES).split("/");
    const namespace = this.integer(5) === 0 ? "" : this.one(NAMESPACES);
    const of = {
      apiGroup: this.one(GROUPS),
      apiVersion: "v1",
      resource,
      subresource,
      namespace,
      name: this.one(NAMES),
    };
    return { kind: "resource", user, verb: this.one(this.often(VERBS)), ...of };
  }
}
