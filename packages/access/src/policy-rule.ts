// Decisions of RBAC on the objects themselves: whether a rule allows an action or comes near to it, and whether a
// subject is a user. Source: Kubernetes documentation, "Using RBAC Authorization".
import type { AskedAction, AskedResource } from "./asked-action";

export interface PolicyRule {
  readonly verbs?: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null;
  readonly resources?: readonly string[] | null;
  readonly resourceNames?: readonly string[] | null;
  readonly nonResourceURLs?: readonly string[] | null;
}

export interface Subject {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

const has = (list: readonly string[] | null | undefined, value: string): boolean =>
  list?.some((each) => each === "*" || each === value) === true;

export function ruleAllows(rule: PolicyRule, asked: AskedAction): boolean {
  if (!has(rule.verbs, asked.verb)) return false;
  if (asked.kind === "path") return isPathOf(rule, asked.path);
  return has(rule.apiGroups, asked.group) && isResourceOf(rule, asked) && isNameOf(rule, asked.name);
}

/** Tells whether a rule is about the same resource or path, with other verbs, names or another group. */
export function isNear(rule: PolicyRule, asked: AskedAction): boolean {
  if (asked.kind === "path") return isPathOf(rule, asked.path);
  return isResourceOf(rule, asked) || (asked.subresource !== "" && isResourceOf(rule, { ...asked, subresource: "" }));
}

function isResourceOf({ resources }: PolicyRule, { resource, subresource }: AskedResource): boolean {
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return has(resources, whole) || (subresource !== "" && resources?.includes(`*/${subresource}`) === true);
}

const isNameOf = ({ resourceNames }: PolicyRule, name: string): boolean =>
  !resourceNames?.length || resourceNames.includes(name);

function isPathOf({ nonResourceURLs }: PolicyRule, path: string): boolean {
  return (nonResourceURLs ?? []).some(
    (url) => url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.slice(0, -1))),
  );
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Returns the groups of a user: those given, and those that every user of its kind has. */
export function groupsOf(user: string, given: readonly string[]): readonly string[] {
  const account = SERVICE_ACCOUNT.exec(user);
  const own = account === null ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account[1]}`];
  return [
    ...new Set([...given, ...own, user === "system:anonymous" ? "system:unauthenticated" : "system:authenticated"]),
  ];
}

/** @param bindingNamespace namespace of service accounts that name none */
export function isSubject(
  { kind, name = "", namespace = "" }: Subject,
  { user, groups, bindingNamespace }: { user: string; groups: readonly string[]; bindingNamespace: string },
): boolean {
  switch (kind) {
    case "User":
      return name === "*" || name === user;
    case "Group":
      return groups.includes(name);
    case "ServiceAccount":
      return user === `system:serviceaccount:${namespace || bindingNamespace}:${name}`;
    default:
      return false;
  }
}

/** Describes a rule, such as `get,list pods.metrics "web"`. */
export function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const list = (values: readonly string[] | null | undefined) => (values ?? []).join(",");
  if (nonResourceURLs?.length) return `${list(verbs)} ${list(nonResourceURLs)}`;
  const groups = (apiGroups ?? []).filter((group) => group !== "");
  const inGroups = groups.length === 0 ? "" : ` (group ${groups.join(",")})`;
  const named = resourceNames?.length ? ` named ${list(resourceNames)}` : "";
  return `${list(verbs)} ${list(resources)}${inGroups}${named}`;
}
