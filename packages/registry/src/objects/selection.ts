// The objects that a list or a watch selects, as one predicate over entries.

import type { Selection } from "../contract/operations";
import type { StoredEntry } from "./stored-entry";

export type EntryPredicate = (entry: StoredEntry) => boolean;

/** Whether the request has no selector: every object of its namespace is then selected. */
export function selectsAll({ labels, fields, name, shard }: Selection): boolean {
  return (
    labels === undefined && name === undefined && shard === undefined && (fields === undefined || fields.length === 0)
  );
}

/**
 * Returns the predicate of a selection.
 * @param namespace "" for all namespaces
 * @returns undefined when every object is selected
 */
export function predicateOf(
  namespace: string,
  { labels, fields = [], name, shard }: Selection,
): EntryPredicate | undefined {
  const conditions: EntryPredicate[] = [];
  if (namespace !== "") conditions.push(startingWith(`${namespace}/`));
  conditions.push(...fieldConditions(fields));
  if (name !== undefined) conditions.push((entry) => name(entry.name));
  if (labels !== undefined) conditions.push((entry) => labels(entry.labels));
  if (shard !== undefined) conditions.push((entry) => shard.matches(String(entry.metadata(shard.field) ?? "")));
  if (conditions.length <= 1) return conditions[0];
  return (entry) => conditions.every((holds) => holds(entry));
}

/**
 * Builds one condition per field, however many terms name it: a selector may repeat `metadata.name!=` a thousand times.
 */
function fieldConditions(terms: NonNullable<Selection["fields"]>): EntryPredicate[] {
  const asked = new Map<string, { readonly wanted: Set<string>; readonly unwanted: Set<string> }>();
  for (const { field, operator, value } of terms) {
    let values = asked.get(field);
    if (values === undefined) {
      values = { wanted: new Set(), unwanted: new Set() };
      asked.set(field, values);
    }
    (operator === "=" ? values.wanted : values.unwanted).add(value);
  }
  return [...asked].map(([field, { wanted, unwanted }]) => {
    const [only] = wanted;
    if (only === undefined) return (entry) => !unwanted.has(entry.field(field));
    // A field has one value, so two required values exclude each other.
    if (wanted.size > 1 || unwanted.has(only)) return () => false;
    return (entry) => entry.field(field) === only;
  });
}

function startingWith(namespacePath: string): EntryPredicate {
  return (entry) => entry.path.startsWith(namespacePath);
}

/** Returns the one name that a request selects; undefined when it may select several. */
export function nameSelected({ fields }: Selection): string | undefined {
  return fields?.find(({ field, operator }) => field === "metadata.name" && operator === "=")?.value;
}
