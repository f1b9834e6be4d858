// Finds the nodes of a schema with some property, and those that lead to them, so that walks skip the others. Results
// are computed on demand and each node is examined at most once: a schema may have a megabyte, an object only a few of
// its members.
import { isObject, type JsonObject } from "@orch/schema";
import { partsOf } from "./schema-node";

/** Number of nodes per step: about a millisecond. */
const NODES_A_STEP = 2000;

export class LeadingNodes {
  private readonly known = new Map<JsonObject, boolean>();

  constructor(private readonly says: (node: JsonObject) => boolean) {}

  /**
   * Reports whether the node or a node below it has the property. Subschemas of allOf, anyOf, oneOf and not are
   * ignored.
   */
  has(node: JsonObject): boolean {
    let leads = this.known.get(node);
    if (leads === undefined) {
      leads = this.says(node) || this.isAbove(node);
      this.known.set(node, leads);
    }
    return leads;
  }

  /** Examines a whole schema in steps. Later calls of `has` do not compute anything. */
  *looking(root: JsonObject): Generator<undefined, void> {
    const found = [root];
    for (let at = 0; at < found.length; at += 1) {
      for (const part of partsOf(found[at] as JsonObject)) found.push(part);
      if (at % NODES_A_STEP === NODES_A_STEP - 1) yield;
    }
    // Children come before their parents.
    for (let at = found.length - 1; at >= 0; at -= 1) {
      this.has(found[at] as JsonObject);
      if (at % NODES_A_STEP === 0) yield;
    }
  }

  private isAbove({ items, additionalProperties: rest, properties }: JsonObject): boolean {
    if (isObject(items) && this.has(items)) return true;
    if (isObject(rest) && this.has(rest)) return true;
    if (!isObject(properties)) return false;
    for (const name in properties) {
      const child = properties[name];
      if (isObject(child) && this.has(child)) return true;
    }
    return false;
  }
}
