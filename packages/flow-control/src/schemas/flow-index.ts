// Finds the flow of a request. Schemas are indexed by subject, so that a request is compared only with the rules for
// its user, however many schemas there are. Expensive results are cached by user.
import type { UserInfo } from "@orch/machinery";
import type { flowcontrolV1 } from "@orch/schema";
import { type FlowRules, type FlowTarget, flowRulesOf, rulesMatch } from "./flow-rules";
import type { FlowSpec } from "./flow-spec";

/** Rules of one schema for some subjects. */
interface Filed<Flow> {
  /** Position of the schema among all schemas. */
  readonly place: number;
  readonly flow: Flow;
  readonly rules: FlowRules;
}

type Drawer<Flow> = Filed<Flow>[];

const ANY = "*";
const SERVICE_ACCOUNT = "system:serviceaccount:";
/** Up to this number, comparing rules is as fast as a cache lookup. */
const RULES_OF_A_LOOK = 24;
/** Maximum number of cached targets of one user. */
const TARGETS_MAX = 500;

export class FlowIndex<Flow> {
  private readonly byUser = new Map<string, Drawer<Flow>>();
  private readonly byGroup = new Map<string, Drawer<Flow>>();
  /** Rules for all service accounts of a namespace. */
  private readonly byNamespace = new Map<string, Drawer<Flow>>();
  private readonly anybody: Drawer<Flow> = [];
  private places = 0;
  private rules = 0;
  private readonly known = new WeakMap<UserInfo, Map<string, Flow>>();

  /**
   * Adds a schema after the previous ones, in order of precedence and name.
   * @param flow result of the classification
   */
  add({ rules }: FlowSpec, flow: Flow): void {
    const place = this.places;
    this.places += 1;
    for (const each of rules) {
      const filed = { place, flow, rules: flowRulesOf(each) };
      this.rules += filed.rules.count;
      for (const subject of each.subjects ?? []) this.drawerOf(subject)?.push(filed);
    }
  }

  /** @returns undefined when no schema matches */
  classify(user: UserInfo, target: FlowTarget): Flow | undefined {
    if (this.rules <= RULES_OF_A_LOOK) return this.find(user, target);
    const key = keyOf(target);
    let ofUser = this.known.get(user);
    const known = ofUser?.get(key);
    if (known !== undefined) return known;
    const found = this.find(user, target);
    if (found === undefined) return undefined;
    if (ofUser === undefined || ofUser.size >= TARGETS_MAX) {
      ofUser = new Map();
      this.known.set(user, ofUser);
    }
    ofUser.set(key, found);
    return found;
  }

  private find({ name, groups }: UserInfo, target: FlowTarget): Flow | undefined {
    let best = firstMatch(this.anybody, target, undefined);
    best = firstMatch(this.byUser.get(name), target, best);
    if (this.byNamespace.size > 0 && name.startsWith(SERVICE_ACCOUNT)) {
      const end = name.indexOf(":", SERVICE_ACCOUNT.length);
      best = firstMatch(this.byNamespace.get(name.slice(SERVICE_ACCOUNT.length, end)), target, best);
    }
    for (const group of groups) best = firstMatch(this.byGroup.get(group), target, best);
    return best?.flow;
  }

  private drawerOf({ kind, user, group, serviceAccount }: flowcontrolV1.Subject): Drawer<Flow> | undefined {
    switch (kind) {
      case "User":
        return user?.name === ANY ? this.anybody : drawer(this.byUser, user?.name);
      case "Group":
        return group?.name === ANY ? this.anybody : drawer(this.byGroup, group?.name);
      case "ServiceAccount": {
        const { namespace, name } = serviceAccount ?? {};
        if (name === ANY) return drawer(this.byNamespace, namespace);
        return drawer(this.byUser, `${SERVICE_ACCOUNT}${namespace}:${name}`);
      }
      default:
        return undefined;
    }
  }
}

/** @returns the first match before `best`, or `best` */
function firstMatch<Flow>(
  filed: Drawer<Flow> | undefined,
  target: FlowTarget,
  best: Filed<Flow> | undefined,
): Filed<Flow> | undefined {
  if (filed === undefined) return best;
  for (const each of filed) {
    if (best !== undefined && each.place >= best.place) return best;
    if (rulesMatch(each.rules, target)) return each;
  }
  return best;
}

function drawer<Flow>(drawers: Map<string, Drawer<Flow>>, key: string | undefined): Drawer<Flow> | undefined {
  if (key === undefined) return undefined;
  let found = drawers.get(key);
  if (found === undefined) {
    found = [];
    drawers.set(key, found);
  }
  return found;
}

const keyOf = (target: FlowTarget): string =>
  target.kind === "resource"
    ? `${target.verb} ${target.resource} ${target.namespace} ${target.apiGroup}`
    : `${target.verb} ${target.path}`;
