// A body as sent over the wire, and its decoded value for audit events.
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { openEnvelope, type ServedVersion, unpack } from "@orch/machinery";
import { cborToJson, isObject, type JsonValue, parseJson, parseYaml, type Schema } from "@orch/schema";
import type { AuditedBody } from "./audit-event";

export function auditedBody(
  bytes: Buffer,
  {
    schema,
    ...of
  }: Pick<AuditedBody, "contentType" | "isOwn"> & { readonly schema: Schema; readonly kind: ServedVersion },
): AuditedBody {
  const { contentType, isOwn, kind } = of;
  const hidesToken = kind.group === schema.vocabulary.groups.authentication && TOKEN_KINDS.includes(kind.kind);
  return {
    bytes,
    contentType,
    isOwn,
    hidesToken,
    value: () => readAuditedBody({ bytes, contentType, hidesToken, isOwn }, schema),
  };
}

/** Kinds that contain a token: a TokenReview in its spec, a TokenRequest in its status. */
const TOKEN_KINDS = ["TokenReview", "TokenRequest"];

function withoutToken(value: JsonValue): JsonValue {
  if (!isObject(value)) return value;
  const shown = { ...value };
  for (const part of ["spec", "status"]) {
    const { token: _, ...others } = isObject(shown[part]) ? shown[part] : {};
    if (part in shown) shown[part] = others;
  }
  return shown;
}

const decompress = promisify(gunzip);
/** Only the server compresses. A body that is larger when decompressed is left out. */
const UNPACKED_MAX_BYTES = 64 * 1024 * 1024;

/** @throws Error when the body cannot be read */
export async function readAuditedBody(
  { bytes, hidesToken, ...form }: Pick<AuditedBody, "bytes" | "contentType" | "hidesToken" | "isOwn">,
  schema: Schema,
): Promise<JsonValue> {
  const value = await wholeValue(bytes, form, schema);
  return hidesToken ? withoutToken(value) : value;
}

async function wholeValue(
  bytes: Buffer,
  form: Pick<AuditedBody, "contentType" | "isOwn">,
  schema: Schema,
): Promise<JsonValue> {
  const { contentType, isOwn } = form;
  if (isCompressed(bytes)) {
    return wholeValue(await decompress(bytes, { maxOutputLength: UNPACKED_MAX_BYTES }), form, schema);
  }
  if (contentType.includes("protobuf")) return protobufValue(bytes, schema);
  if (contentType.includes("yaml")) return parseYaml(bytes, { isOwn }).value;
  const json = contentType.includes("cbor") ? jsonOfCbor(bytes) : bytes;
  return parseJson(json, { duplicates: "ignore" }).value;
}

/** Neither text nor a protobuf object begins with these bytes. */
export const isCompressed = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

function jsonOfCbor(bytes: Buffer): Buffer {
  const steps = cborToJson(bytes, UNPACKED_MAX_BYTES);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

function protobufValue(bytes: Buffer, schema: Schema): JsonValue {
  const envelope = openEnvelope(bytes, "object");
  const { apiVersion, kind } = envelope;
  const slash = apiVersion.indexOf("/");
  const [group, version] = [apiVersion.slice(0, Math.max(0, slash)), apiVersion.slice(slash + 1)];
  const form = schema.objectType(group, version, kind)?.protobuf;
  if (form === undefined) throw new Error(`${apiVersion} ${kind} has no protobuf form`);
  return unpack(envelope, form);
}
