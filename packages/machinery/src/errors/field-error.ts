// Validation errors of fields, and their form in a Status. Validators collect them; one response carries them all.
// Source: staging/src/k8s.io/apimachinery/pkg/util/validation/field/errors.go.

import { jsonStart } from "../json/json-text";

/** Text and cause of each kind of error, and whether the text shows the invalid value. */
const KINDS = {
  Required: { text: "Required value", cause: "FieldValueRequired", showsValue: false },
  Invalid: { text: "Invalid value", cause: "FieldValueInvalid", showsValue: true },
  TypeInvalid: { text: "Invalid value", cause: "FieldValueTypeInvalid", showsValue: true },
  NotSupported: { text: "Unsupported value", cause: "FieldValueNotSupported", showsValue: true },
  Duplicate: { text: "Duplicate value", cause: "FieldValueDuplicate", showsValue: true },
  Forbidden: { text: "Forbidden", cause: "FieldValueForbidden", showsValue: false },
  TooLong: { text: "Too long", cause: "FieldValueTooLong", showsValue: false },
  TooMany: { text: "Too many", cause: "FieldValueTooMany", showsValue: true },
  NotFound: { text: "Not found", cause: "FieldValueNotFound", showsValue: true },
  Internal: { text: "Internal error", cause: "InternalError", showsValue: false },
} as const;

export interface FieldError {
  readonly kind: keyof typeof KINDS;
  /** Field path, such as `spec.containers[0].name` or `metadata.labels[key]`. */
  readonly path: string;
  readonly value?: unknown;
  readonly detail?: string;
}

export const required = (path: string, detail = ""): FieldError => ({ kind: "Required", path, detail });

export const invalid = (path: string, value: unknown, detail: string): FieldError => ({
  kind: "Invalid",
  path,
  value,
  detail,
});

/** Value of another type, or in another format, than the schema says. */
export const typeInvalid = (path: string, value: unknown, detail: string): FieldError => ({
  kind: "TypeInvalid",
  path,
  value,
  detail,
});

/**
 * Unsupported value.
 * @param supported supported values in the order of the message
 */
export const notSupported = (path: string, value: unknown, supported: readonly string[]): FieldError => ({
  kind: "NotSupported",
  path,
  value,
  detail: supported.length === 0 ? "" : `supported values: ${supported.map((each) => JSON.stringify(each)).join(", ")}`,
});

export const duplicate = (path: string, value: unknown): FieldError => ({ kind: "Duplicate", path, value });

export const forbidden = (path: string, detail: string): FieldError => ({ kind: "Forbidden", path, detail });

export const tooLong = (path: string, maxBytes: number): FieldError => ({
  kind: "TooLong",
  path,
  detail: `must have at most ${maxBytes} bytes`,
});

export const tooMany = (path: string, found: { readonly count: number; readonly max: number }): FieldError => ({
  kind: "TooMany",
  path,
  value: found.count,
  detail: `must have at most ${found.max} items`,
});

export const notFound = (path: string, value: unknown): FieldError => ({ kind: "NotFound", path, value });

/**
 * Change of an immutable field.
 * @param value the new value that the client sent
 */
export const immutable = (path: string, value: unknown): FieldError => invalid(path, value, "field is immutable");

export const internal = (path: string, detail: string): FieldError => ({ kind: "Internal", path, detail });

/** Returns the error without its field, as in the message of a Status cause: `Invalid value: "x": must be ...`. */
export function fieldErrorBody(error: FieldError): string {
  const { text, showsValue } = KINDS[error.kind];
  const value = showsValue ? `: ${jsonStart(error.value, VALUE_TEXT_MAX_CHARACTERS)}` : "";
  const detail = error.detail === undefined || error.detail === "" ? "" : `: ${shortened(error.detail)}`;
  return `${text}${value}${detail}`;
}

/** Returns the error with its field: `metadata.name: Invalid value: "x": must be ...`. */
export const fieldErrorText = (error: FieldError): string => `${error.path}: ${fieldErrorBody(error)}`;

/** Returns the reason of the Status cause, such as `FieldValueInvalid`. */
export const fieldErrorReason = (error: FieldError): string => KINDS[error.kind].cause;

// Limits on values and details in messages. A value from the client may be as long as the body allows, many errors may
// show the same value, and a response repeats each error twice.
export const VALUE_TEXT_MAX_CHARACTERS = 1024;
const DETAIL_MAX_CHARACTERS = 4096;

const shortened = (text: string): string =>
  text.length <= DETAIL_MAX_CHARACTERS ? text : `${text.slice(0, DETAIL_MAX_CHARACTERS)}...`;
