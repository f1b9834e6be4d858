// The object in a request's body: bytes to values, values to an object of the type that the path speaks of.
import {
  BAD_REQUEST_TEXT,
  badRequest,
  type FieldValidation,
  type ServedVersion,
  StatusError,
  unsupportedMediaType,
} from "@orch/machinery";
import { DecodeError, type DecodeProblem, JsonError, type JsonObject, type JsonValue, parseJson } from "@orch/schema";
import { readBody } from "../http/request-body";
import type { ApiRequest } from "../pipeline/request-context";

const READABLE = ["application/json", "application/yaml"] as const;
type Format = "json" | "yaml";

/**
 * A whole object for create or update, decoded, in the version of the path.
 * @throws StatusError 400 for what cannot be read or is of another kind, 413, 415
 */
export async function readObject(
  request: ApiRequest,
  version: ServedVersion,
  fieldValidation: FieldValidation,
): Promise<JsonObject> {
  const format = formatOf(request.headers["content-type"]);
  const body = await readBody(request);
  const parsed = await parseBody(body, format, version.kind, fieldValidation !== "Ignore");
  const object = requireObject(parsed.value, body, version);
  requireKind(object, version);
  const decoded = decode(object, version);
  report(request, version, fieldValidation, [...parsed.problems, ...decoded.problems]);
  return decoded.value;
}

/** A body that may be missing and has no type of its own, such as delete options; undefined without one. */
export async function readOptionsBody(request: ApiRequest, kind: string): Promise<JsonObject | undefined> {
  const body = await readBody(request);
  if (body.length === 0) return undefined;
  const { value } = await parseBody(body, formatOf(request.headers["content-type"]), kind, false);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest(BAD_REQUEST_TEXT.unrecognized({ expected: kind, why: "it is no object", body }));
  }
  const given = value["kind"];
  if (given !== undefined && given !== kind) {
    throw badRequest(`the body of the request is of kind ${JSON.stringify(given)}, not ${kind}`);
  }
  return value;
}

/** Parameters of the media type say nothing here. Source: facts, http.md "Content negotiation". */
function formatOf(contentType: string | undefined): Format {
  if (contentType === undefined || contentType === "" || contentType === "application/json") return "json";
  switch (contentType.split(";")[0]?.trim().toLowerCase()) {
    case "application/json":
      return "json";
    case "application/yaml":
      return "yaml";
    default:
      throw unsupportedMediaType(READABLE);
  }
}

interface ParsedBody {
  readonly value: JsonValue;
  readonly problems: readonly DecodeProblem[];
}

async function parseBody(body: Buffer, format: Format, kind: string, duplicates: boolean): Promise<ParsedBody> {
  try {
    if (format === "yaml") return { value: await parseYaml(body), problems: [] };
    return parseJson(body, { duplicates: duplicates ? "collect" : "ignore" });
  } catch (error) {
    if (error instanceof StatusError) throw error;
    const why = error instanceof JsonError || format === "yaml" ? (error as Error).message : "it cannot be read";
    throw badRequest(BAD_REQUEST_TEXT.unrecognized({ expected: kind, why, body }));
  }
}

/** The library is loaded by the first body that needs it. Words such as `yes` and `0777` mean what they do in version 1.1. */
async function parseYaml(body: Buffer): Promise<JsonValue> {
  const { parse } = await import("yaml");
  const value: unknown = parse(body.toString(), { version: "1.1", maxAliasCount: 100, logLevel: "error" });
  // Through JSON, so that dates, maps and whatever else YAML knows become what JSON has.
  return JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
}

function requireObject(value: JsonValue, body: Buffer, version: ServedVersion): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw badRequest(BAD_REQUEST_TEXT.unrecognized({ expected: version.kind, why: "it is no object", body }));
}

/** A body may leave kind and version to the path; what it says must be what the path says. */
function requireKind(object: JsonObject, version: ServedVersion): void {
  const kind = object["kind"] ?? "";
  const apiVersion = object["apiVersion"] ?? "";
  if (kind !== "" && kind !== version.kind) {
    const found = { kind: String(kind), version: String(apiVersion || version.apiVersion), expected: version.kind };
    throw badRequest(BAD_REQUEST_TEXT.wrongKind({ ...found, why: "the kinds differ" }));
  }
  if (apiVersion !== "" && apiVersion !== version.apiVersion) {
    throw badRequest(BAD_REQUEST_TEXT.apiVersionMismatch({ found: String(apiVersion), expected: version.apiVersion }));
  }
  object["kind"] = version.kind;
  object["apiVersion"] = version.apiVersion;
}

function decode(object: JsonObject, version: ServedVersion): { value: JsonObject; problems: readonly DecodeProblem[] } {
  try {
    return version.type.decode(object);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw wrongBody(version, error.message);
  }
}

function wrongBody(version: ServedVersion, why: string): StatusError {
  const { kind, apiVersion } = version;
  return badRequest(BAD_REQUEST_TEXT.wrongKind({ kind, version: apiVersion, expected: kind, why }));
}

/** What the body holds beyond its type: nothing, warnings, or a refusal, as the client chose. */
function report(
  request: ApiRequest,
  version: ServedVersion,
  fieldValidation: FieldValidation,
  problems: readonly DecodeProblem[],
): void {
  if (problems.length === 0 || fieldValidation === "Ignore") return;
  const texts = problems.map(
    ({ kind, path }) => `${kind === "unknownField" ? "unknown" : "duplicate"} field "${path}"`,
  );
  if (fieldValidation === "Strict") throw wrongBody(version, `strict decoding error: ${texts.join(", ")}`);
  for (const text of texts) request.context.warn(text);
}
