// How the objects of one resource count towards quotas: what admission charges and what a recalculation adds up are the same.
// Source: facts, admission/resourcequota.md.
import type { GroupResource } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ScopeRequirement } from "./scopes";
import type { Usage } from "./usage";

export interface QuotaEvaluator {
  readonly resource: GroupResource;
  /** Whether an update may use more. Creations always may. */
  readonly chargesUpdates: boolean;
  /** Whether an update may be charged to a quota; absent: every update that is judged at all may. */
  chargesUpdate?(old: JsonObject, object: JsonObject): boolean;
  /** Whether a name in a quota stands for something that these objects use. */
  knows(name: string): boolean;
  usage(object: JsonObject, at: EvaluationTime): Usage;
  /** Absent: these objects are in no scope, and no quota that has one counts them. */
  inScope?(object: JsonObject, scope: ScopeRequirement): boolean;
  /** Those of the names in a quota that the object has to set and does not, in order. Absent: there are none. */
  missing?(object: JsonObject, names: readonly string[]): readonly string[];
  /** All that the rest looks at, for those who keep many objects. */
  essence(object: JsonObject): JsonObject;
  /** Whether the rest looks at nothing but the metadata. Absent: at more. */
  readonly readsMetadataAlone?: true;
  /** When it will use less if nothing happens to it, in milliseconds since 1970. */
  endsAtMs?(object: JsonObject): number | undefined;
}

export interface EvaluationTime {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}
