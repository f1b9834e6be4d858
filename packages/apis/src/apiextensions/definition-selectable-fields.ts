// Fields of custom resources that field selectors may name: simple paths without lists, to fields with single values.
// Source: ValidateCustomResourceSelectableFields in
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.

import type { Rule } from "@orch/apis-model";
import { type Definition, partOf, partsOf, type Version } from "./definition-parts";
import { additionalOf, propertyOf, type SchemaNode } from "./schema-node";

const FIELDS_MAX = 8;
const SINGLE_VALUES: ReadonlySet<string | undefined> = new Set(["string", "boolean", "integer"]);
const NO_SUCH_FIELD = "does not refer to a valid field";

export const selectableFields: Rule<Definition> = (definition, _at, report) => {
  for (const { part, at, versions } of partsOf(definition, "selectableFields")) {
    const roots = rootsOf(definition, versions);
    const known = new Set<string>();
    part.slice(0, CHECKED_MAX).forEach(({ jsonPath: path = "" }, position) => {
      const place = at.item(position).field("jsonPath");
      if (path === "") report.required(place);
      else {
        const problem = problemOf(path, roots);
        if (problem !== undefined) report.invalid(place, path, problem);
        if (problem?.startsWith("is an invalid path") === true) return;
        if (known.has(path)) report.duplicate(place, path);
        known.add(path);
      }
    });
  }
};

/** Limits the number of fields. An update may keep too many. */
export const selectableFieldCount: Rule<Definition> = (definition, _at, report) => {
  for (const { part, at } of partsOf(definition, "selectableFields")) {
    const count = new Set(part.map(({ jsonPath }) => jsonPath)).size;
    if (count > FIELDS_MAX) report.tooMany(at, { count, max: FIELDS_MAX });
  }
};

/** Fields that are looked up in the schema; a definition with more is refused for their number. */
const CHECKED_MAX = 64;

const rootsOf = (definition: Definition, versions: readonly Version[]): readonly SchemaNode[] =>
  versions.flatMap((version) => partOf(definition, version, "schema")?.openAPIV3Schema ?? []);

function problemOf(path: string, roots: readonly SchemaNode[]): string | undefined {
  if (roots.length === 0) return `is an invalid path: ${NO_SUCH_FIELD}`;
  for (const root of new Set(roots)) {
    const found = nodeAt(path, root);
    if (typeof found === "string") return `is an invalid path: ${found}`;
    if (/^\.metadata(?:\.|$)/.test(path)) return "must not point to fields in metadata";
    if (!SINGLE_VALUES.has(found.type))
      return "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
  }
  return undefined;
}

/** Returns the schema of a field, or why the path is invalid. */
function nodeAt(path: string, root: SchemaNode): SchemaNode | string {
  let node = root;
  let rest = path;
  while (rest !== "") {
    if (rest.startsWith("[")) return "array notation is not allowed";
    const [front] = /^[^.[\]]*/.exec(rest.slice(1)) as RegExpExecArray;
    if (!rest.startsWith(".")) return `expected [ or . but got: ${/^[^.[]*/.exec(rest)?.[0]}`;
    if (rest.length === 1) return "unexpected end of JSON path";
    const next =
      node.properties === undefined || node.properties === null ? additionalOf(node) : propertyOf(node, front);
    if (next === undefined) return NO_SUCH_FIELD;
    node = next;
    rest = rest.slice(1 + front.length);
  }
  return node;
}
