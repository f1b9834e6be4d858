// Options of create, update and patch. Source: staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go.
import type { Vocabulary } from "@orch/schema";
import { type FieldError, forbidden, notSupported, required } from "../errors/field-error";
import { parseGoDuration } from "../values/go-duration";
import { fieldManagerErrors } from "./field-manager";
import { optionalQueryBoolean, type QueryParameters, refuseInvalid } from "./query-parameters";

/** Handling of unknown and duplicate fields in a body: dropped silently, dropped with a warning, or refused. */
export type FieldValidation = (typeof FIELD_VALIDATIONS)[number];

const FIELD_VALIDATIONS = ["Ignore", "Warn", "Strict"] as const;

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Empty when the client sets none. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields over from other managers. */
  readonly force: boolean;
}

/**
 * Parses the options of a create.
 * @throws StatusError Invalid (422)
 */
export const parseCreateOptions = (query: QueryParameters, vocabulary: Vocabulary): WriteOptions =>
  parseWriteOptions("CreateOptions", query, vocabulary, []);

/**
 * Parses the options of an update.
 * @throws StatusError Invalid (422)
 */
export const parseUpdateOptions = (query: QueryParameters, vocabulary: Vocabulary): WriteOptions =>
  parseWriteOptions("UpdateOptions", query, vocabulary, []);

/**
 * Parses the options of a patch other than apply.
 * @throws StatusError Invalid (422)
 */
export const parsePatchOptions = (query: QueryParameters, vocabulary: Vocabulary): WriteOptions =>
  parseWriteOptions(
    "PatchOptions",
    query,
    vocabulary,
    query.get("force") === null ? [] : [forbidden("force", "may not be specified for non-apply patch")],
  );

/**
 * Parses the options of an apply.
 * @throws StatusError Invalid (422), also when no field manager is set
 */
export function parseApplyOptions(query: QueryParameters, vocabulary: Vocabulary): ApplyOptions {
  const errors = query.get("fieldManager") ? [] : [required("fieldManager", "is required for apply patch")];
  const options = parseWriteOptions("PatchOptions", query, vocabulary, errors);
  return { force: optionalQueryBoolean(query, "force") ?? false, ...options };
}

function parseWriteOptions(
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  query: QueryParameters,
  vocabulary: Vocabulary,
  errorsOfKind: readonly FieldError[],
): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const fieldValidation = validation === "" ? "Warn" : FIELD_VALIDATIONS.find((each) => each === validation);
  const errors = [
    ...errorsOfKind,
    ...fieldManagerErrors(fieldManager, "fieldManager"),
    ...dryRunErrors(dryRun, vocabulary),
    ...(fieldValidation === undefined ? [notSupported("fieldValidation", validation, FIELD_VALIDATIONS)] : []),
  ];
  refuseInvalid(kind, errors, vocabulary);
  return { dryRun: isDryRun(dryRun), fieldManager, fieldValidation: fieldValidation ?? "Warn" };
}

/**
 * Validates the values of `dryRun`: `All`, and in the `orch` vocabulary the key alone, which asks for no dry run.
 * kube-apiserver refuses an empty value.
 */
export function dryRunErrors(values: readonly string[], { name }: Vocabulary): readonly FieldError[] {
  const unknown = values.filter((value) => value !== "All" && (value !== "" || name === "kubernetes"));
  return unknown.length === 0 ? [] : [notSupported("dryRun", unknown, ["All"])];
}

export const isDryRun = (values: readonly string[]): boolean => values.includes("All");

const WRITE_TIMEOUT_MS = 34_000;

/**
 * Returns the timeout of a write in milliseconds: the `timeout` parameter when it is a positive duration, otherwise the
 * default. The caller bounds it by the server's own timeout.
 */
export function writeTimeoutMs(query: QueryParameters): number {
  const text = query.get("timeout");
  const asked = text === null ? undefined : parseGoDuration(text);
  return asked === undefined || asked <= 0 ? WRITE_TIMEOUT_MS : asked;
}
