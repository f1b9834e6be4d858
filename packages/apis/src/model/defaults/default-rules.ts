// What absent fields hold, said by tables and, where a table cannot say it, by functions. Source: facts, defaults.json.
import type { CompletedMember } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { FrozenValue } from "../../values/frozen-value";
import type { FieldGate } from "../features/field-gates";

export interface DefaultRules {
  /** Runs before the fields of the table are filled: for what looks at what the client left out. */
  readonly first?: DefaultRule;
  /**
   * Values by path, names with dots between; objects on the way are made where the type always has them. A field that tells empty
   * from absent (a pointer) is filled when it is absent, any other when it is empty too.
   */
  readonly fields?: Readonly<Record<string, FrozenValue>>;
  /** Runs once the fields are filled. */
  readonly then?: DefaultRule;
  /** Of fields that a feature brought: run last, where it is on. Only kinds as a whole have such. */
  readonly gated?: readonly GatedDefaults[];
}

export interface GatedDefaults {
  readonly gate: FieldGate;
  readonly fields?: Readonly<Record<string, FrozenValue>>;
  readonly then?: DefaultRule;
  /** Names of the fields that `then` fills in all objects, or in those that hold some JSON text. */
  readonly fills?: readonly CompletedMember[];
}

/** Changes the object in place. Doing it twice must be doing it once. */
export type DefaultRule = (object: JsonObject, vocabulary: Vocabulary) => void;
