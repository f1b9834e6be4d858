// Type of ObjectMeta.
import { loadSchema, type Schema, type StructType, type Vocabulary } from "@orch/schema";

/** Returns the type of ObjectMeta. @param schema absent: the schema of the vocabulary, of the newest release */
export function metadataType(vocabulary: Vocabulary, schema?: Schema): StructType {
  const type = (schema ?? recordOf(vocabulary)).type("meta/v1", "ObjectMeta");
  if (type?.kind !== "struct") throw new Error("the schema of record has no ObjectMeta");
  return type;
}

const records = new WeakMap<Vocabulary, Schema>();

function recordOf(vocabulary: Vocabulary): Schema {
  let record = records.get(vocabulary);
  if (record === undefined) {
    record = loadSchema(vocabulary);
    records.set(vocabulary, record);
  }
  return record;
}
