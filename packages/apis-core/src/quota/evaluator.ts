// Usage of the objects of one resource. Admission and recalculation use the same evaluators. Source:
// pkg/quota/v1/evaluator/core/registry.go.
import { type GroupResource, metaOf } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { ClaimingPod } from "./class-resources";
import type { ScopeRequirement } from "./scopes";
import type { Usage } from "./usage";

export interface QuotaEvaluator {
  readonly resource: GroupResource;
  /** Whether an update may increase the usage. Creations always may. */
  readonly chargesUpdates: boolean;
  /** Returns whether an update is charged; absent: every evaluated update is. */
  chargesUpdate?(old: JsonObject, object: JsonObject): boolean;
  /** Returns whether an update of the status is charged. Absent: none is. */
  chargesStatus?(old: JsonObject, object: JsonObject): boolean;
  /** Returns whether these objects use something of that name. */
  knows(name: string): boolean;
  usage(object: JsonObject, at: Evaluation): Usage;
  /** Returns the pod whose usage may include that of the object. Absent: there is none. */
  includedBy?(object: JsonObject): ClaimingPod | undefined;
  /** Returns whether an object is in a scope. Absent: quotas with scopes do not count these objects. */
  inScope?(object: JsonObject, scope: ScopeRequirement): boolean;
  /** Returns what the object must set of the names in a quota and does not, as text. Absent: nothing. */
  missing?(object: JsonObject, names: readonly string[]): string | undefined;
  /** Returns the parts of the object that the evaluator reads, for callers that keep many objects. */
  essence(object: JsonObject): JsonObject;
  /** Set when the evaluator reads only metadata. */
  readonly readsMetadataAlone?: true;
  /** Returns the time at which the usage decreases without a change of the object, in milliseconds since 1970. */
  endsAtMs?(object: JsonObject): number | undefined;
}

interface Evaluation {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** Pod whose usage includes that of the object; see `includedBy`. */
  readonly pod?: JsonObject | undefined;
}

const KEPT = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/**
 * Returns the metadata that quota evaluation reads. A keeper of tens of thousands of objects keeps neither managedFields nor
 * labels.
 */
export function countedMeta(object: JsonObject): JsonObject {
  const metadata = metaOf(object);
  const kept: JsonObject = {};
  for (const name of KEPT) if (metadata[name] !== undefined) kept[name] = metadata[name] as JsonValue;
  return kept;
}
