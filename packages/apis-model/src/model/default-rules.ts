// Defaults of absent fields, as tables and, where a table is not sufficient, as functions.
import type { CompletedMember } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { FrozenValue } from "../values/frozen-value";
import type { FieldGate } from "./features/field-gates";

export interface DefaultRules {
  /** Runs before the table is applied, for rules that depend on what the client omitted. */
  readonly first?: DefaultRule;
  /**
   * Values keyed by path, names separated by dots; intermediate objects are created when the type always has them. A
   * pointer field, which distinguishes empty from absent, is set when absent; any other field is also set when empty.
   */
  readonly fields?: Readonly<Record<string, FrozenValue>>;
  /** Runs after the table is applied. */
  readonly then?: DefaultRule;
  /** Defaults of fields with a feature gate. They run last, when the gate is enabled. Only whole kinds have them. */
  readonly gated?: readonly GatedDefaults[];
}

export interface GatedDefaults {
  readonly gate: FieldGate;
  readonly fields?: Readonly<Record<string, FrozenValue>>;
  readonly then?: DefaultRule;
  /** Fields that `then` sets in all objects, or in those that contain some JSON text. */
  readonly fills?: readonly CompletedMember[];
}

/** Changes the object in place. Must be idempotent. */
export type DefaultRule = (object: JsonObject, vocabulary: Vocabulary) => void;
