// Types that requests and answers of every resource have.
import type { RuntimeType, Schema } from "@orch/schema";

export const META = "meta/v1";

/** @throws Error where the schema of record lacks it, which is a mistake of this program */
export function knownType(schema: Schema, id: string, name: string): RuntimeType {
  const type = schema.type(id, name);
  if (type === undefined) throw new Error(`the schema has no ${id}.${name}, which requests use`);
  return type;
}
