// Constructors of selectable fields. Source: Kubernetes documentation, "Field Selectors".
import type { SelectableField } from "@orch/machinery";
import type { FieldPath } from "../values/field-path";
import { fieldNames } from "../values/field-path";

/** A text; of several paths the first that is not empty. "" when absent. */
export const text = (...paths: readonly FieldPath[]): SelectableField => at("string", paths);

/** An integer; "0" when absent. */
export const count = (path: FieldPath): SelectableField => at("number", [path]);

/** A boolean; "false" when absent. */
export const flag = (path: FieldPath): SelectableField => at("boolean", [path]);

const at = (type: SelectableField["type"], paths: readonly FieldPath[]): SelectableField => ({
  type,
  paths: paths.map(fieldNames),
});

/** A field label that is accepted and matches no value. */
export const nothing: SelectableField = { type: "string", paths: [] };
