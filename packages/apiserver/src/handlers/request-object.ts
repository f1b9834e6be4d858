// Decodes the object in a request's body into the type of the path.

import { readBody } from "@orch/http-server";
import {
  BAD_REQUEST_TEXT,
  badRequest,
  type FieldValidation,
  jsonText,
  mediaTypeIn,
  metaOf,
  openEnvelope,
  type ServedVersion,
  StatusError,
  unpack,
  unsupportedMediaType,
} from "@orch/machinery";
import type { ApiRequest } from "@orch/request";
import {
  DecodeError,
  type DecodeProblem,
  isObject,
  JsonError,
  type JsonObject,
  type JsonValue,
  otherVocabularyHint,
  type ParseJsonOptions,
  type ProtobufForm,
  parseJson,
  parseYaml,
  writeJson,
  YamlError,
} from "@orch/schema";
import { objectProblems, reportProblems, strictText, wrongBody } from "./field-problems";

/**
 * Decodes an object for create or update in the version of the path.
 * @param others versions that the body may have instead
 * @throws StatusError 400 for an unreadable body or another kind, 413, 415
 */
export function readObject(
  request: ApiRequest,
  version: ServedVersion,
  fieldValidation: FieldValidation,
  others: readonly ServedVersion[] = [],
): JsonObject {
  return noted(request, readWhole(request, version, fieldValidation, others));
}

/** Records the metadata of the object for the audit. */
function noted(request: ApiRequest, object: JsonObject): JsonObject {
  const { namespace = "", name = "", uid = "", resourceVersion = "" } = metaOf(object);
  request.context.sent = { namespace, name, uid, resourceVersion };
  return object;
}

function readWhole(
  request: ApiRequest,
  version: ServedVersion,
  fieldValidation: FieldValidation,
  others: readonly ServedVersion[],
): JsonObject {
  const format = formatOf(request, version.type.protobuf);
  const body = readBody(request);
  if (typeof format !== "string") return readEnveloped(body, version, others);
  const { value, problems } = parseBody(body, format, version.kind, {
    duplicates: fieldValidation === "Ignore" ? "ignore" : "collect",
    fractions: fractionsFor(version),
  });
  const object = requireObject(value, body, version);
  const given = named(object, others) ?? version;
  const decoded = readParsed(object, given);
  const json = format === "json" ? body : undefined;
  const found = objectProblems(given, { parsed: problems, unknown: decoded.problems, json });
  reportProblems({ request, fieldValidation, refuse: (list) => wrongBody(given, strictText(list)) }, found);
  return decoded.value;
}

/** Integer fields of built-in kinds reject 80.0. Custom objects accept what JSON Schema counts as an integer. */
export const fractionsFor = ({ type }: ServedVersion): "number" | "marked" =>
  type.struct.validatesLater === true ? "number" : "marked";

/** Returns the version that the body names. */
const named = ({ apiVersion }: { readonly apiVersion?: JsonValue }, versions: readonly ServedVersion[]) =>
  versions.find((each) => each.apiVersion === apiVersion);

function readParsed(object: JsonObject, version: ServedVersion): DecodedBody {
  requireKind(object, version);
  return decode(object, version);
}

interface DecodedBody {
  readonly value: JsonObject;
  readonly problems: readonly DecodeProblem[];
}

function readEnveloped(body: Buffer, preferred: ServedVersion, others: readonly ServedVersion[]): JsonObject {
  const envelope = openEnvelope(body, preferred.kind);
  const version = named(envelope, others) ?? preferred;
  const { kind, apiVersion, type } = version;
  const { protobuf } = type;
  if (protobuf === undefined) throw new Error(`${apiVersion} ${kind} has no protobuf form`);
  requireKind({ kind: envelope.kind, apiVersion: envelope.apiVersion }, version);
  return decode(unpack({ ...envelope, kind, apiVersion }, protobuf), version).value;
}

/**
 * Decodes an apply configuration: JSON or YAML, without conversion. Apply itself checks its fields.
 * @throws StatusError 400 for an unreadable body or another kind, 413
 */
export function readApplied(
  request: ApiRequest,
  version: ServedVersion,
  fieldValidation: FieldValidation,
): AppliedBody {
  const body = readBody(request);
  const { value, problems } = parseApplied(body, fieldValidation);
  const object = requireObject(value, body, version);
  const { kind } = object;
  if (kind !== version.kind) throw wrongBody(version, `the kind in the data is ${writeJson(kind ?? "")}`);
  return { value: object, problems };
}

export interface AppliedBody extends ParsedBody {
  readonly value: JsonObject;
}

function parseApplied(body: Buffer, fieldValidation: FieldValidation): ParsedBody {
  try {
    // Most YAML that begins with a brace is JSON.
    if (body[0] === OPEN_BRACE) {
      const parsed = parseJson(body, { duplicates: fieldValidation === "Ignore" ? "ignore" : "collect" });
      // Duplicate keys are reported with their lines, which the YAML parser knows.
      if (parsed.problems.length === 0) return parsed;
    }
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
  }
  try {
    return parseYaml(body);
  } catch (error) {
    if (error instanceof YamlError) throw badRequest(BAD_REQUEST_TEXT.applyDecode(error.message));
    throw error;
  }
}

const OPEN_BRACE = 0x7b;

/** Decodes an optional body such as DeleteOptions; undefined without one. */
export function readOptionsBody(request: ApiRequest, kind: string): undefined | JsonObject {
  const body = readBody(request);
  if (body.length === 0) return undefined;
  const protobuf = request.context.negotiation.schema.objectType("", "v1", kind)?.protobuf;
  const format = formatOf(request, protobuf);
  if (typeof format !== "string") return readEnvelopedOptions(body, kind, format);
  const { value } = parseBody(body, format, kind, { fractions: "marked" });
  if (!isObject(value)) {
    throw badRequest(BAD_REQUEST_TEXT.unrecognized({ expected: kind, why: "it is not an object", body }));
  }
  requireOptionsKind(value["kind"] ?? kind, kind);
  return value;
}

function readEnvelopedOptions(body: Buffer, kind: string, protobuf: ProtobufForm): JsonObject {
  const envelope = openEnvelope(body, kind);
  requireOptionsKind(envelope.kind || kind, kind);
  return unpack(envelope, protobuf);
}

function requireOptionsKind(found: JsonValue, kind: string): void {
  if (found !== kind) throw badRequest(`the body of the request has the kind ${writeJson(found)}; it must be ${kind}`);
}

type TextFormat = "json" | "yaml";

/**
 * Parameters of the media type are ignored. Source: RFC 9110, section 8.3.
 * @param protobuf form of the expected kind, returned for a protobuf body
 */
function formatOf({ headers, context }: ApiRequest, protobuf: ProtobufForm | undefined): TextFormat | ProtobufForm {
  const contentType = headers["content-type"];
  if (contentType === undefined || contentType === "" || contentType === "application/json") return "json";
  const { mediaTypes } = context.negotiation;
  switch (mediaTypeIn(contentType)) {
    case mediaTypes.json:
      return "json";
    case mediaTypes.yaml:
      return "yaml";
    case mediaTypes.protobuf:
      if (protobuf !== undefined) return protobuf;
  }
  const { json, yaml } = mediaTypes;
  throw unsupportedMediaType(
    [
      json,
      yaml,
      ...(protobuf === undefined ? [] : [mediaTypes.protobuf]),
      ...(context.negotiation.cbor ? [mediaTypes.cbor] : []),
    ],
    otherVocabularyHint(context.negotiation.schema.vocabulary, mediaTypeIn(contentType)),
  );
}

interface ParsedBody {
  readonly value: JsonValue;
  readonly problems: readonly DecodeProblem[];
}

function parseBody(body: Buffer, format: TextFormat, kind: string, options: ParseJsonOptions): ParsedBody {
  try {
    return format === "yaml" ? parseYaml(body) : parseJson(body, options);
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const isTold = error instanceof JsonError || error instanceof YamlError;
    const why = isTold ? error.message : "it cannot be decoded";
    throw badRequest(BAD_REQUEST_TEXT.unrecognized({ expected: kind, why, body }));
  }
}

function requireObject(value: JsonValue, body: Buffer, version: ServedVersion): JsonObject {
  if (isObject(value)) return value;
  throw badRequest(BAD_REQUEST_TEXT.unrecognized({ expected: version.kind, why: "it is not an object", body }));
}

/** Kind and version of a body may be absent; otherwise they must agree with the path. */
function requireKind(object: JsonObject, version: ServedVersion): void {
  const kind = object["kind"] ?? "";
  const apiVersion = object["apiVersion"] ?? "";
  if (kind !== "" && kind !== version.kind) {
    const found = { kind: jsonText(kind), version: jsonText(apiVersion || version.apiVersion), expected: version.kind };
    throw badRequest(BAD_REQUEST_TEXT.wrongKind({ ...found, why: "the kinds differ" }));
  }
  if (apiVersion !== "" && apiVersion !== version.apiVersion) {
    throw badRequest(
      BAD_REQUEST_TEXT.apiVersionMismatch({ found: jsonText(apiVersion), expected: version.apiVersion }),
    );
  }
  object["kind"] = version.kind;
  object["apiVersion"] = version.apiVersion;
}

function decode(object: JsonObject, version: ServedVersion): DecodedBody {
  try {
    return version.type.decode(object);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw wrongBody(version, error.message);
  }
}
