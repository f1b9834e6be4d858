// Types that requests and answers of every resource share.
import type { RuntimeType, Schema } from "@orch/schema";

export const META = "meta/v1";

/** @throws Error when the recorded schema lacks the type, which is a programming error */
export function knownType(schema: Schema, id: string, name: string): RuntimeType {
  const type = schema.type(id, name);
  if (type === undefined) throw new Error(`the schema lacks ${id}.${name}, which requests use`);
  return type;
}
