// Explanations for access reviews: why a request is allowed, or which grants come nearest to allowing it. Only grants
// of the reviewed user are named. The amount of work and text is bounded.
import type { Attributes, Decision, ExplanationScope, ResourceAttributes } from "../authorization/authorizer";
import { type Grant, grantText, type Role } from "./binding";
import type { PolicyRule } from "./policy";
import type { RbacGrants } from "./rbac-grants";
import { resourceMatches, ruleAllows, urlMatches } from "./rule";

const NEAREST_MAX = 5;
const LENGTH_MAX = 2000;
/** Maximum number of values shown per list of a rule. */
const VALUES_SHOWN = 5;
/** Maximum number of rule values and namespaces that are examined. */
const STEPS_MAX = 20_000;

/**
 * Explains a decision.
 * @returns undefined when there is nothing to say, or another authorizer decided
 */
export function explain(
  asked: Attributes,
  decision: Decision,
  grants: RbacGrants,
  scope: ExplanationScope,
): string | undefined {
  grants.refresh();
  switch (decision.kind) {
    case "allow":
      return ruleThatAllows(asked, decision, grants, scope);
    case "noOpinion":
      return nearestText(asked, grants, scope);
    case "deny":
      return undefined;
  }
}

function ruleThatAllows(
  asked: Attributes,
  decision: Decision,
  grants: RbacGrants,
  scope: ExplanationScope,
): string | undefined {
  const found = grants.findAllowing(asked, grants.grantsTo(asked.user));
  if (found === undefined || found.grant.allowed !== decision) return undefined;
  // The contents of a ClusterRole bound cluster-wide are not disclosed to a user who may only review one namespace.
  if (scope === "namespace" && found.grant.binding.namespace === "") return undefined;
  const rule = found.role.rules?.find((each) => ruleAllows(each, asked));
  return rule && cut(`by the rule ${ruleText(rule)}`);
}

function nearestText(asked: Attributes, grants: RbacGrants, scope: ExplanationScope): string | undefined {
  const search = new NearestGrants(asked, grants, scope);
  const texts = search.find();
  if (texts.length === 0) return undefined;
  return cut(`nearest grants${search.isOver ? " of those looked at" : ""}: ${texts.join("; ")}`);
}

class NearestGrants {
  private readonly texts: string[] = [];
  private steps = 0;

  constructor(
    private readonly asked: Attributes,
    private readonly grants: RbacGrants,
    private readonly scope: ExplanationScope,
  ) {}

  get isOver(): boolean {
    return this.steps > STEPS_MAX;
  }

  private get isDone(): boolean {
    return this.isOver || this.texts.length >= NEAREST_MAX;
  }

  find(): readonly string[] {
    const { asked, scope } = this;
    const namespace = asked.kind === "resource" ? asked.namespace : "";
    const places = [...(namespace === "" ? [] : [namespace]), ...(scope === "namespace" ? [] : [""])];
    for (const place of places) this.findOtherRights(place);
    if (asked.kind === "resource" && scope === "everywhere") this.findOtherNamespaces(asked);
    return this.texts;
  }

  /** Finds rules for the same resource with other verbs or names. */
  private findOtherRights(place: string): void {
    for (const each of this.grants.grantsTo(this.asked.user)) {
      for (const [role, bindings] of each.get(place) ?? []) {
        const rule = this.nearIn(role);
        const [grant] = bindings.values();
        if (rule !== undefined && grant !== undefined) this.texts.push(`${grantText(grant)} has ${ruleText(rule)}`);
        if (this.isDone) return;
      }
    }
  }

  private nearIn({ rules = [] }: Role): PolicyRule | undefined {
    for (const rule of rules) {
      this.steps += 1 + valuesOf(rule);
      if (this.isOver) return undefined;
      if (isNear(rule, this.asked)) return rule;
    }
    return undefined;
  }

  /** Finds the same right in other namespaces. */
  private findOtherNamespaces(asked: ResourceAttributes): void {
    for (const each of this.grants.grantsTo(asked.user)) {
      for (const namespace of each.keys()) {
        if (this.isDone) return;
        this.steps += 10;
        if (namespace === "" || namespace === asked.namespace) continue;
        const grant = this.grants.findAllowing({ ...asked, namespace }, [each])?.grant;
        if (grant !== undefined) this.texts.push(elsewhere(grant));
      }
    }
  }
}

const elsewhere = (grant: Grant): string =>
  `${grantText(grant)} allows it in the namespace ${JSON.stringify(grant.binding.namespace)}`;

/** Returns whether a rule is about the same resource or path, with another verb or name. */
function isNear({ apiGroups, resources, nonResourceURLs }: PolicyRule, asked: Attributes): boolean {
  if (asked.kind === "nonResource") return urlMatches(nonResourceURLs, asked.path);
  const ofGroup = apiGroups?.includes(asked.apiGroup) || apiGroups?.includes("*");
  return ofGroup === true && resourceMatches(resources, asked.resource, asked.subresource);
}

const valuesOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number =>
  [verbs, apiGroups, resources, resourceNames, nonResourceURLs].reduce((sum, list) => sum + (list?.length ?? 0), 0);

function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  const parts: [string, readonly string[] | null | undefined][] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["ResourceNames", resourceNames],
    ["NonResourceURLs", nonResourceURLs],
    ["Verbs", verbs],
  ];
  return `{${parts.flatMap(([name, values]) => (values?.length ? `${name}:${listText(values)}` : [])).join(", ")}}`;
}

function listText(values: readonly string[]): string {
  const shown = values.slice(0, VALUES_SHOWN).map((value) => JSON.stringify(value.slice(0, LENGTH_MAX)));
  const more = values.length - shown.length;
  return `[${[...shown, ...(more > 0 ? [`and ${more} more`] : [])].join(" ")}]`;
}

const cut = (text: string): string => (text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}…`);
