// The objects whose earlier states are kept, and how many. `--history` names resources; the annotation of a namespace
// stands for the namespaced resources that the option does not name. Source: docs/history.md.
import type { GroupResource, ResourceDefinition } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";

export interface HistoryRules {
  /** Returns the number of states that are kept of each object; 0: none, unless its namespace asks for them. */
  statesOf(resource: GroupResource): number;
  /** Age from which states are removed. 0: any age. */
  readonly maxAgeMs: number;
  /** Size of the kept states of one object in the store, from which the oldest are removed. The newest always stays. */
  readonly maxBytes: number;
}

/** The history of one resource. */
export interface HistoryTerms {
  readonly rules: HistoryRules;
  /** Number of states by `--history`; 0: the namespace of an object decides. */
  readonly states: number;
}

/** Returns undefined for a resource whose objects have no history, whatever their namespace. */
export function historyTerms(
  rules: HistoryRules | undefined,
  vocabulary: Vocabulary,
  { group, plural, scope, lifetimeSeconds }: ResourceDefinition,
): HistoryTerms | undefined {
  // Events and leases change all the time and document themselves.
  if (rules === undefined || lifetimeSeconds !== undefined) return undefined;
  if (group === vocabulary.groups.coordination && plural === "leases") return undefined;
  const states = rules.statesOf({ group, resource: plural });
  return states === 0 && scope !== "Namespaced" ? undefined : { rules, states };
}
