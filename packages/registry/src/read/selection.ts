// Which objects a list or a watch takes, as one predicate over entries.

import type { StoredEntry } from "../objects/stored-entry";
import type { Selection } from "../registry";

export type EntryPredicate = (entry: StoredEntry) => boolean;

/** Whether a request names labels or fields at all: without, every object of its namespace is taken. */
export function selectsAll({ labels, fields, name }: Selection): boolean {
  return labels === undefined && name === undefined && (fields === undefined || fields.length === 0);
}

/**
 * @param namespace "" for all of them
 * @returns undefined when every object is taken
 */
export function predicateOf(namespace: string, { labels, fields = [], name }: Selection): EntryPredicate | undefined {
  const conditions: EntryPredicate[] = [];
  if (namespace !== "") conditions.push(startingWith(`${namespace}/`));
  conditions.push(...fieldConditions(fields));
  if (name !== undefined) conditions.push((entry) => name(entry.name));
  if (labels !== undefined) conditions.push((entry) => labels(entry.labels));
  if (conditions.length <= 1) return conditions[0];
  return (entry) => conditions.every((holds) => holds(entry));
}

/** One for each field, whatever is asked of it: a query may say a thousand times what a name is not to be. */
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
    // A field has one value.
    if (wanted.size > 1 || unwanted.has(only)) return () => false;
    return (entry) => entry.field(field) === only;
  });
}

function startingWith(namespacePath: string): EntryPredicate {
  return (entry) => entry.path.startsWith(namespacePath);
}

/** The one name that a request is about; undefined when it is about several. */
export function nameSelected({ fields }: Selection): string | undefined {
  return fields?.find(({ field, operator }) => field === "metadata.name" && operator === "=")?.value;
}
