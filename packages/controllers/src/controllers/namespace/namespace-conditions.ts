// Conditions of a terminating namespace. Source: pkg/controller/namespace/deletion/status_condition_utils.go.
import { timestamp } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

/** Progress of emptying a namespace. */
export interface ContentState {
  readonly discoveryErrors: readonly Error[];
  readonly deletionErrors: readonly string[];
  /** Number of remaining objects by `<resource>.<group>`; `<resource>.` for the core group. */
  readonly remaining: ReadonlyMap<string, number>;
  /** Number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
}

type Said = readonly [reason: string, message: string];
type Row = { readonly type: string; readonly fine: Said; readonly bad: (state: ContentState) => Said | undefined };

const CONDITIONS: readonly Row[] = [
  {
    type: "NamespaceDeletionDiscoveryFailure",
    fine: ["ResourcesDiscovered", "All resources successfully discovered"],
    bad: ({ discoveryErrors: errors }) =>
      errors.length === 0
        ? undefined
        : [
            "DiscoveryFailed",
            `Discovery failed for some groups, ${errors.length} failing: ${errors.map(({ message }) => message).join(", ")}`,
          ],
  },
  {
    type: "NamespaceDeletionGroupVersionParsingFailure",
    fine: ["ParsedGroupVersions", "All legacy kube types successfully parsed"],
    bad: () => undefined, // unparsable group versions of discovery cause no error
  },
  {
    type: "NamespaceDeletionContentFailure",
    fine: ["ContentDeleted", "All content successfully deleted, may be waiting on finalization"],
    bad: ({ deletionErrors: errors }) =>
      errors.length === 0
        ? undefined
        : [
            "ContentDeletionFailed",
            `Failed to delete all resource types, ${errors.length} remaining: ${[...errors].sort().join(", ")}`,
          ],
  },
  {
    type: "NamespaceContentRemaining",
    fine: ["ContentRemoved", "All content successfully removed"],
    bad: ({ remaining }) =>
      remaining.size === 0
        ? undefined
        : [
            "SomeResourcesRemain",
            `Some resources are remaining: ${listed(remaining, (name, n) => `${name} has ${n} resource instances`)}`,
          ],
  },
  {
    type: "NamespaceFinalizersRemaining",
    fine: ["ContentHasNoFinalizers", "All content-preserving finalizers finished"],
    bad: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : [
            "SomeFinalizersRemain",
            `Some content in the namespace has finalizers remaining: ${listed(finalizers, (name, n) => `${name} in ${n} resource instances`)}`,
          ],
  },
];

/**
 * Returns the conditions updated with the state. Other conditions are kept, and the transition time of a condition
 * changes only with its status.
 * @returns undefined when nothing changes
 */
export function conditionsFor(
  state: ContentState,
  before: readonly coreV1.NamespaceCondition[],
  nowMs: number,
): coreV1.NamespaceCondition[] | undefined {
  const after = [...before];
  let changed = false;
  for (const { type, fine, bad } of CONDITIONS) {
    const said = bad(state);
    const status = said === undefined ? "False" : "True";
    const [reason, message] = said ?? fine;
    const at = after.findIndex((condition) => condition.type === type);
    const old = after[at];
    if (old?.status === status && old.reason === reason && old.message === message) continue;
    const since = old?.status === status ? old.lastTransitionTime : timestamp(nowMs);
    after.splice(at === -1 ? after.length : at, 1, {
      type,
      status,
      reason,
      message,
      lastTransitionTime: since ?? null,
    });
    changed = true;
  }
  return changed ? after : undefined;
}

function listed(counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string {
  return [...counts]
    .map(([name, count]) => text(name, count))
    .sort()
    .join(", ");
}
