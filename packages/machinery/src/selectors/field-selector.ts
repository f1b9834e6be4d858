// Field selectors: `metadata.name=a,status.phase!=Running`. Source: "Field Selectors" in the Kubernetes documentation.
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import type { SelectableField } from "./selectable-field";

export interface FieldTerm {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * Parses a `fieldSelector` query parameter. `\` escapes `\`, `,` and `=` in values. A term without field and value, such
 * as `=`, matches everything. Source: staging/src/k8s.io/apimachinery/pkg/fields/selector.go.
 * @returns the terms sorted by field; all must match
 * @throws StatusError BadRequest (400)
 */
export function parseFieldSelector(query: string): readonly FieldTerm[] {
  const terms = splitUnescaped(query)
    .filter((term) => term !== "")
    .map((term) => parseTerm(term, query))
    .filter(({ field, value }) => field !== "" || value !== "");
  return terms.sort((a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0));
}

/** Returns the value that a field must equal for the terms to match, if any. */
export const requiredValue = (terms: readonly FieldTerm[], field: string): string | undefined =>
  terms.find((term) => term.field === field && term.operator === "=")?.value;

/**
 * Checks that a version of a resource supports the selected fields.
 * @throws StatusError BadRequest (400) that names the first unsupported field
 */
export function checkSelectable(
  terms: readonly FieldTerm[],
  definition: {
    readonly group: string;
    readonly selectableFields: Readonly<Record<string, SelectableField>>;
  },
  version: { readonly fieldLabels?: readonly string[] } = {},
): void {
  const { group, selectableFields } = definition;
  for (const { field } of terms) {
    if (field === "metadata.name" || field === "metadata.namespace") continue;
    const { fieldLabels } = version;
    if (Object.hasOwn(selectableFields, field) && (fieldLabels === undefined || fieldLabels.includes(field))) continue;
    // The message differs for resources with selectable fields of their own and for the core group.
    const ownFields = group === "" || Object.keys(selectableFields).length > 0;
    throw badRequest(
      ownFields ? BAD_REQUEST_TEXT.fieldLabelNotSupported(field) : BAD_REQUEST_TEXT.unknownFieldSelector(field),
    );
  }
}

function parseTerm(term: string, query: string): FieldTerm {
  const operator = /!=|==|=/.exec(term);
  if (operator === null) throw badRequest(`invalid selector: '${query}'; can't understand '${term}'`);
  const field = term.slice(0, operator.index);
  const value = unescaped(term.slice(operator.index + operator[0].length));
  return { field, operator: operator[0] === "!=" ? "!=" : "=", value };
}

function unescaped(text: string): string {
  return text.replace(/\\([\s\S]?)|=/g, (found, escaped: string | undefined) => {
    if (escaped !== undefined && escaped !== "" && "\\,=".includes(escaped)) return escaped;
    throw badRequest(
      `invalid field selector: ${JSON.stringify(found)} in ${JSON.stringify(text)} must be escaped by '\\'`,
    );
  });
}

function splitUnescaped(query: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < query.length; at++) {
    if (query[at] === "\\") at++;
    else if (query[at] === ",") {
      parts.push(query.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(query.slice(start));
  return parts;
}
