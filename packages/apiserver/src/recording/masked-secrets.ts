// Replaces the values of Secrets, so that a recording can be given to others.
import { isObject, type JsonObject } from "@orch/schema";

const SECRETS = "core/secrets/";
const MASK = Buffer.from("masked").toString("base64");
/** Annotation in which `kubectl apply` keeps the whole object. */
const LAST_APPLIED = /\/last-applied-configuration$/;

/** @param key without the prefix of the store */
export function maskSecrets(key: string, value: JsonObject): JsonObject {
  if (!key.startsWith(SECRETS)) return value;
  const { data, metadata } = value;
  return {
    ...value,
    ...(isObject(data) && { data: Object.fromEntries(Object.keys(data).map((name) => [name, MASK])) }),
    ...(isObject(metadata) && { metadata: withoutLastApplied(metadata) }),
  };
}

function withoutLastApplied(metadata: JsonObject): JsonObject {
  const { annotations } = metadata;
  if (!isObject(annotations)) return metadata;
  const kept = Object.entries(annotations).filter(([name]) => !LAST_APPLIED.test(name));
  return { ...metadata, annotations: Object.fromEntries(kept) };
}
