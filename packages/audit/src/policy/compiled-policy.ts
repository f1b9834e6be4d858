// The compiled policy. The rules that can match a route and a verb are found once and cached, so that a request is
// compared only with those; when there are many, also by user. Source:
// staging/src/k8s.io/apiserver/pkg/audit/policy/checker.go.
import type { UserInfo } from "@orch/machinery";
import { namesNoResource, type ServedRoute, type SeveralRequest } from "@orch/request";
import { AUDIT_LEVELS, type AuditInterest, type AuditLevel, type AuditSubject } from "../event/audit-event";
import type { AuditedResources, AuditRule } from "./audit-policy";

/** Audit settings of a rule for a matching request; undefined: not audited. */
export interface RuleInterest {
  readonly level: AuditLevel;
  readonly interest: AuditInterest | undefined;
}

type ResourceRequest = Exclude<AuditSubject["info"], { readonly kind: "path" | "unreadable" | "several" }>;

/** Up to this number, comparing the rules one by one is as fast as finding those of a route. */
const FEW_RULES = 4;
/** Up to this number, comparing the rules of a route is as fast as finding those of a user. */
const MANY_RULES = 24;
/** Maximum number of cached users for one route and verb. */
const USERS_MAX = 500;

export class CompiledPolicy {
  private readonly rules: CompiledRule[] = [];
  private readonly byRoute = new WeakMap<ServedRoute, Map<string, Candidates>>();

  /** Adds rules. A policy of many thousands of rules is compiled in parts, and used only when it is complete. */
  add(rules: readonly AuditRule[]): void {
    for (const rule of rules) this.rules.push(new CompiledRule(rule));
  }

  /**
   * Returns the settings of the first matching rule. A request for several resources has those of the resource with the
   * highest level.
   */
  find(of: AuditSubject): RuleInterest {
    const { info, user } = of;
    if (info.kind !== "several") return this.findOne(of, info);
    let found = NOTHING;
    for (const part of info.parts) {
      const next = this.findOne({ info: part.info, user }, part.info);
      if (AUDIT_LEVELS.indexOf(next.level) > AUDIT_LEVELS.indexOf(found.level)) found = next;
    }
    return found;
  }

  private findOne(of: AuditSubject, info: Exclude<AuditSubject["info"], SeveralRequest>): RuleInterest {
    const { user } = of;
    const { route } = info;
    const isAsked = route === undefined || this.rules.length <= FEW_RULES;
    const candidates = isAsked ? this.rules : this.candidates(info, route).of(user);
    for (const rule of candidates) if (rule.matches(of)) return rule.wanted;
    return NOTHING;
  }

  private candidates(info: ResourceRequest, route: ServedRoute): Candidates {
    let byVerb = this.byRoute.get(route);
    if (byVerb === undefined) {
      byVerb = new Map();
      this.byRoute.set(route, byVerb);
    }
    let found = byVerb.get(info.verb);
    if (found === undefined) {
      found = new Candidates(this.rules.filter((rule) => rule.mayMatch(info)));
      byVerb.set(info.verb, found);
    }
    return found;
  }
}

const NOTHING: RuleInterest = { level: "None", interest: undefined };

class Candidates {
  private readonly byUser = new Map<string, readonly CompiledRule[]>();

  constructor(private readonly rules: readonly CompiledRule[]) {}

  of({ name }: UserInfo): readonly CompiledRule[] {
    if (this.rules.length < MANY_RULES) return this.rules;
    let found = this.byUser.get(name);
    if (found === undefined) {
      if (this.byUser.size >= USERS_MAX) this.byUser.clear();
      found = this.rules.filter((rule) => rule.takesUser(name));
      this.byUser.set(name, found);
    }
    return found;
  }
}

type Words = ReadonlySet<string> | undefined;

const words = (list: readonly string[] | undefined): Words => (list === undefined ? undefined : new Set(list));

class CompiledRule {
  readonly wanted: RuleInterest;
  private readonly users: Words;
  private readonly groups: Words;
  private readonly verbs: Words;
  private readonly namespaces: Words;
  private readonly resources: readonly ResourcePattern[] | undefined;
  private readonly exactPaths: Words;
  private readonly pathPrefixes: readonly string[] | undefined;
  private readonly isOfResources: boolean;

  constructor(rule: AuditRule) {
    const { level, omitStages, omitManagedFields } = rule;
    const interest = level === "None" ? undefined : { level, omits: new Set(omitStages), omitManagedFields };
    this.wanted = { level, interest };
    this.users = words(rule.users);
    this.groups = words(rule.userGroups);
    this.verbs = words(rule.verbs);
    this.namespaces = words(rule.namespaces);
    this.resources = rule.resources?.map((each) => new ResourcePattern(each));
    this.isOfResources = this.namespaces !== undefined || this.resources !== undefined;
    const paths = rule.nonResourceURLs;
    this.exactPaths = words(paths?.filter((path) => !path.endsWith("*")));
    this.pathPrefixes = paths?.filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1));
  }

  matches({ info, user }: AuditSubject): boolean {
    if (!this.takesUser(user.name)) return false;
    if (this.groups !== undefined && !this.takesGroups(user.groups, this.groups)) return false;
    if (this.verbs?.has(info.verb) === false) return false;
    if (namesNoResource(info)) return !this.isOfResources && this.takesPath(info.path);
    if (this.exactPaths !== undefined) return false;
    if (this.namespaces?.has(info.namespace) === false) return false;
    return this.resources?.some((each) => each.takes(info) && each.takesName(info.name)) ?? true;
  }

  /** Whether the rule can match the request for some user and some object. */
  mayMatch(info: ResourceRequest): boolean {
    if (this.exactPaths !== undefined || this.verbs?.has(info.verb) === false) return false;
    return this.resources?.some((each) => each.takes(info)) ?? true;
  }

  takesUser(name: string): boolean {
    return this.users?.has(name) ?? true;
  }

  private takesGroups(groups: readonly string[], wanted: ReadonlySet<string>): boolean {
    for (const group of groups) if (wanted.has(group)) return true;
    return false;
  }

  private takesPath(path: string): boolean {
    if (this.exactPaths === undefined || this.exactPaths.has(path)) return true;
    return this.pathPrefixes?.some((prefix) => path.startsWith(prefix)) ?? false;
  }
}

class ResourcePattern {
  private readonly group: string;
  private readonly resources: Words;
  private readonly names: Words;

  constructor({ group, resources, resourceNames }: AuditedResources) {
    this.group = group;
    this.resources = resources.length === 0 ? undefined : new Set(resources);
    this.names = resourceNames.length === 0 ? undefined : new Set(resourceNames);
  }

  takes({ group, resource, subresource }: ResourceRequest): boolean {
    if (group !== this.group) return false;
    const { resources } = this;
    if (resources === undefined || resources.has("*") || resources.has(`${resource}/*`)) return true;
    if (subresource === "") return resources.has(resource);
    return resources.has(`${resource}/${subresource}`) || resources.has(`*/${subresource}`);
  }

  takesName(name: string): boolean {
    return this.names?.has(name) ?? true;
  }
}
