// Reads and checks the response of a webhook. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/request/admissionreview.go.
import { canonicalBase64, countValues, isObject, type JsonObject, type JsonValue, readJson } from "@orch/schema";
import type { ReviewVersion } from "../requests/review-request";
import { CallingError } from "./calling-error";

export interface ReviewAnswer {
  readonly allowed: boolean;
  /** Status as it was received. */
  readonly status: JsonObject | undefined;
  /** The patch, decoded from base64; undefined when there is none. */
  readonly patch: Buffer | undefined;
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

export interface AskedReview {
  readonly version: ReviewVersion;
  readonly uid: string;
  /** API group of the review. */
  readonly group: string;
  readonly mayPatch: boolean;
}

/** @throws CallingError */
export function readAnswer(body: Buffer, asked: AskedReview): ReviewAnswer {
  if (isPlainAllowance(body, asked)) return ALLOWANCE;
  const review = parsed(body);
  const response = review["response"] ?? undefined;
  if (response === undefined) throw invalid("webhook response was absent");
  if (!isObject(response)) throw mistyped("response", "an object");
  const patch = text(response, "patch");
  const patchType = text(response, "patchType");
  const answer = {
    allowed: flag(response, "allowed"),
    status: object(response, "status"),
    patch: patch === undefined ? undefined : decoded(patch),
    auditAnnotations: texts(object(response, "auditAnnotations")),
    warnings: list(response, "warnings"),
  };
  if (asked.version === "v1") checkStrictly(review, { uid: text(response, "uid") ?? "", patch, patchType }, asked);
  return { ...answer, patch: asked.mayPatch && answer.patch?.length ? answer.patch : undefined };
}

/** Content of nearly every response. */
const ALLOWANCE: ReviewAnswer = {
  allowed: true,
  status: undefined,
  patch: undefined,
  auditAnnotations: {},
  warnings: [],
};
/** Matches a response that holds the uid and nothing else of interest. */
const PLAIN_ALLOWANCE =
  /^\{"(?:apiVersion":"([^"\\]*)","kind":"AdmissionReview|kind":"AdmissionReview","apiVersion":"([^"\\]*))","response":\{(?:"uid":"([^"\\]*)","allowed":true|"allowed":true,"uid":"([^"\\]*)")(?:,"status":\{"metadata":\{\},"code":200\})?\}\}\s*$/;
const PLAIN_MAX_BYTES = 300;

/** Recognizes an allowance without parsing it, which would take as long as the rest of the call. */
function isPlainAllowance(body: Buffer, { group, version, uid }: AskedReview): boolean {
  if (body.length > PLAIN_MAX_BYTES) return false;
  const said = PLAIN_ALLOWANCE.exec(body.toString("latin1"));
  return said !== null && (said[1] ?? said[2]) === `${group}/${version}` && (said[3] ?? said[4]) === uid;
}

/** Maximum number of values in a response: warnings, annotations and causes. A patch counts as one. */
const VALUES_MAX = 10_000;

function parsed(body: Buffer): JsonObject {
  if (body.length >= VALUES_MAX && countValues(body, VALUES_MAX) >= VALUES_MAX)
    throw invalid(`it has more than ${VALUES_MAX} values`);
  let review: JsonValue;
  try {
    review = readJson(body.toString());
  } catch (error) {
    throw invalid(
      `couldn't get version/kind; json parse error: ${(error as Error).message.slice(0, SHOWN_MAX)}`,
      error,
    );
  }
  if (!isObject(review)) throw invalid("couldn't get version/kind; json parse error: it is not an object");
  return review;
}

/** Rejects responses that are invalid in v1. The server accepts them in v1beta1. */
function checkStrictly(
  { apiVersion, kind }: JsonObject,
  {
    uid,
    patch,
    patchType,
  }: { readonly uid: string; readonly patch: string | undefined; readonly patchType: string | undefined },
  asked: AskedReview,
): void {
  if (uid !== asked.uid) throw invalid(`expected response.uid=${quoted(asked.uid)}, got ${quoted(uid)}`);
  const expected = `${asked.group}/${asked.version}`;
  if (apiVersion !== expected || kind !== "AdmissionReview") {
    const got = `${groupVersionText(apiVersion)}, Kind=${shown(kind)}`;
    throw invalid(`expected webhook response of ${expected}, Kind=AdmissionReview, got ${got}`);
  }
  const hasPatch = patch !== undefined && patch !== "";
  if (!asked.mayPatch) {
    if (hasPatch) throw invalid("validating webhook may not return response.patch");
    if (patchType !== undefined) throw invalid("validating webhook may not return response.patchType");
    return;
  }
  if (hasPatch && patchType === undefined) throw invalid("webhook returned response.patch but not response.patchType");
  if (!hasPatch && patchType !== undefined) throw invalid("webhook returned response.patchType but not response.patch");
  if (patchType !== undefined && patchType !== "JSONPatch")
    throw invalid(`webhook returned invalid response.patchType of ${quoted(patchType)}`);
}

/** Maximum number of characters of webhook data in a message. */
const SHOWN_MAX = 200;

const shown = (value: JsonValue | undefined): string => (typeof value === "string" ? value.slice(0, SHOWN_MAX) : "");
const quoted = (value: string): string => JSON.stringify(value.slice(0, SHOWN_MAX));

/** Returns `<group>/<version>`, `/v1`, or `/` when apiVersion is empty. */
function groupVersionText(apiVersion: JsonValue | undefined): string {
  const name = shown(apiVersion);
  return name.includes("/") ? name : `/${name}`;
}

const invalid = (why: string, cause?: unknown) =>
  new CallingError("answer", why, cause === undefined ? undefined : { cause });
const mistyped = (field: string, expected: string) => invalid(`${field} is not ${expected}`);

function member<Value extends JsonValue>(
  of: JsonObject,
  name: string,
  has: (value: JsonValue) => value is Value,
  expected: string,
): Value | undefined {
  const value = of[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!has(value)) throw mistyped(`response.${name}`, expected);
  return value;
}

const isString = (value: JsonValue): value is string => typeof value === "string";
const isBoolean = (value: JsonValue): value is boolean => typeof value === "boolean";
const isStrings = (value: JsonValue): value is string[] => Array.isArray(value) && value.every(isString);

const text = (of: JsonObject, name: string) => member(of, name, isString, "a string");
const object = (of: JsonObject, name: string) => member(of, name, isObject, "an object");
const flag = (of: JsonObject, name: string) => member(of, name, isBoolean, "a boolean") ?? false;
const list = (of: JsonObject, name: string) => member(of, name, isStrings, "a list of strings") ?? [];

function texts(of: JsonObject = {}): Readonly<Record<string, string>> {
  for (const value of Object.values(of)) {
    if (typeof value !== "string") throw mistyped("response.auditAnnotations", "a map of strings");
  }
  return of as Record<string, string>;
}

function decoded(patch: string): Buffer {
  const canonical = canonicalBase64(patch);
  if (canonical === undefined) throw mistyped("response.patch", "base64");
  return Buffer.from(canonical, "base64");
}
