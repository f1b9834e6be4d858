// How objects that lack a default are told by their bytes, so that those that lack none need not be parsed.
import type { CompletedMember } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";

export interface StoredDefaults {
  readonly members: readonly CompletedMember[];
  readonly odd: readonly string[];
}

/** Every object is looked at: there is no telling by a name. */
const EVERY = '"metadata":{';

/** @returns undefined for a schema that fills in nothing */
export function storedDefaults(schema: JsonObject): StoredDefaults | undefined {
  const found = new Set<string>();
  const named = new Map<string, number>();
  let isRepeated = false;
  const open: { readonly node: JsonObject; readonly name: string; readonly repeats: boolean }[] = [
    { node: schema, name: "", repeats: false },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, name, repeats } = next;
    if (node["default"] !== undefined && node["default"] !== null) {
      found.add(name);
      if (repeats || name === "") isRepeated = true;
    }
    const { properties, items, additionalProperties } = node;
    if (isObject(properties)) {
      for (const [member, child] of Object.entries(properties)) {
        named.set(member, (named.get(member) ?? 0) + 1);
        if (isObject(child)) open.push({ node: child, name: member, repeats });
      }
    }
    for (const child of [items, additionalProperties])
      if (isObject(child)) open.push({ node: child, name: "", repeats: true });
  }
  if (found.size === 0) return undefined;
  // A member of the same name elsewhere would pass for the one that is missing.
  const isAmbiguous = [...found].some((name) => (named.get(name) ?? 0) > 1 || name === "metadata");
  if (isRepeated || isAmbiguous) return { members: [], odd: [EVERY] };
  return { members: [...found].map((name) => ({ name })), odd: [] };
}
