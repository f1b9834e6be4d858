// A body as it went over the wire, and what it says for who wants to know.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { type JsonValue, parseJson, type Schema } from "@orch/schema";
import { openEnvelope, unpack } from "../representations/protobuf-body";
import { parseYaml } from "../representations/yaml-body";
import type { AuditedBody } from "./audit-event";

export function auditedBody(
  bytes: Buffer,
  { contentType, isOwn, schema }: { readonly contentType: string; readonly isOwn: boolean; readonly schema: Schema },
): AuditedBody {
  return { bytes, contentType, isOwn, value: () => saidBy(bytes, contentType, schema) };
}

const decompress = promisify(gunzip);
/** Only the server compresses, and what it answers may be longer: then it is left out. */
const UNPACKED_MAX_BYTES = 64 * 1024 * 1024;

/** @throws Error where it cannot be read */
export async function saidBy(bytes: Buffer, contentType: string, schema: Schema): Promise<JsonValue> {
  if (isCompressed(bytes))
    return saidBy(await decompress(bytes, { maxOutputLength: UNPACKED_MAX_BYTES }), contentType, schema);
  if (contentType.includes("protobuf")) return protobufValue(bytes, schema);
  if (contentType.includes("yaml")) return (await parseYaml(bytes)).value;
  return parseJson(bytes, { duplicates: "ignore" }).value;
}

/** No text, and no protobuf of an object, begins so. */
export const isCompressed = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

function protobufValue(bytes: Buffer, schema: Schema): JsonValue {
  const envelope = openEnvelope(bytes, "object");
  const { apiVersion, kind } = envelope;
  const slash = apiVersion.indexOf("/");
  const [group, version] = [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
  const form = schema.objectType(group, version, kind)?.protobuf;
  if (form === undefined) throw new Error(`${apiVersion} ${kind} has no protobuf form`);
  return unpack(envelope, form);
}
