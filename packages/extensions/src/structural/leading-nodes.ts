// The nodes of a schema that say something, and those on the way to them, so that walks go nowhere else. Found when asked for, each node
// looked at once at most: a schema may be a megabyte, and an object have a few of its members.
import { isObject, type JsonObject } from "@orch/schema";
import { partsOf } from "./schema-node";

/** About a millisecond. */
const NODES_A_STEP = 2000;

export class LeadingNodes {
  private readonly known = new Map<JsonObject, boolean>();

  constructor(private readonly says: (node: JsonObject) => boolean) {}

  /** Down to the parts of values; what only narrows a value leads nowhere. */
  has(node: JsonObject): boolean {
    let leads = this.known.get(node);
    if (leads === undefined) {
      leads = this.says(node) || this.isAbove(node);
      this.known.set(node, leads);
    }
    return leads;
  }

  /** Looks at all of a schema in steps: whoever asks afterwards waits for nothing. */
  *looking(root: JsonObject): Generator<undefined, void> {
    const found = [root];
    for (let at = 0; at < found.length; at += 1) {
      for (const part of partsOf(found[at] as JsonObject)) found.push(part);
      if (at % NODES_A_STEP === NODES_A_STEP - 1) yield;
    }
    // What is below comes first.
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
