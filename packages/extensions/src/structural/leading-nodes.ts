// The nodes of a schema that say something, and those on the way to them, so that walks go nowhere else. Found when asked for, each node
// looked at once at most: a schema may be a megabyte, and an object have a few of its members.
import { isObject, type JsonObject } from "@orch/schema";

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
