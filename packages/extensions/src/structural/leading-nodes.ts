// The nodes of a schema that say something, and those on the way to them: found in one look at the whole, so that walks go nowhere else.
import { isObject, type JsonObject } from "@orch/schema";

/** Down to the parts of values; what only narrows a value leads nowhere. */
export function leadingNodes(root: JsonObject, says: (node: JsonObject) => boolean): ReadonlySet<JsonObject> {
  const leading = new Set<JsonObject>();
  note(root, says, leading);
  return leading;
}

/** @returns whether the node is one of them */
function note(node: JsonObject, says: (node: JsonObject) => boolean, leading: Set<JsonObject>): boolean {
  let leads = says(node);
  const { items, additionalProperties: rest, properties } = node;
  if (isObject(items) && note(items, says, leading)) leads = true;
  if (isObject(rest) && note(rest, says, leading)) leads = true;
  if (isObject(properties)) {
    for (const name in properties) {
      const child = properties[name];
      if (isObject(child) && note(child, says, leading)) leads = true;
    }
  }
  if (leads) leading.add(node);
  return leads;
}
