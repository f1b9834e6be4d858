// How the selectable fields of kinds are written down. Source: facts, strategy.json "fieldSelectors".
import type { SelectableField } from "@orch/machinery";
import type { FieldPath } from "../values/field-path";
import { fieldNames } from "../values/field-path";

/** A text; of several the first that is not empty. "" where absent. */
export const text = (...paths: readonly FieldPath[]): SelectableField => at("string", paths);

/** A whole number; "0" where absent. */
export const count = (path: FieldPath): SelectableField => at("number", [path]);

/** "true" or "false"; "false" where absent. */
export const flag = (path: FieldPath): SelectableField => at("boolean", [path]);

const at = (type: SelectableField["type"], paths: readonly FieldPath[]): SelectableField => ({
  type,
  paths: paths.map(fieldNames),
});

/** A label that is accepted and matches no value. */
export const nothing: SelectableField = { type: "string", paths: [] };
