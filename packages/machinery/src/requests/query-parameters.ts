// Reads query parameters, and reports invalid options: a 422 that names the kind of options.

import type { Vocabulary } from "@orch/schema";
import type { FieldError } from "../errors/field-error";
import { invalid } from "../errors/object-errors";
import { badRequest } from "../errors/request-errors";

/** The part of URLSearchParams that is used. */
export interface QueryParameters {
  get(name: string): string | null;
  getAll(name: string): string[];
}

/**
 * Reads a boolean parameter: false when absent; true when present, also without a value, unless it is `0` or `false` in
 * any case.
 */
export function queryBoolean(query: QueryParameters, name: string): boolean {
  return optionalQueryBoolean(query, name) ?? false;
}

export function optionalQueryBoolean(query: QueryParameters, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : text !== "0" && text.toLowerCase() !== "false";
}

/**
 * Reads an integer parameter.
 * @returns undefined when the parameter is absent
 * @throws StatusError BadRequest (400) when the value is not a decimal integer, such as an empty value
 */
export function queryInteger(query: QueryParameters, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = /^[-+]?\d{1,19}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw badRequest(
      `invalid value of the query parameter ${name}: ${JSON.stringify(text.slice(0, 64))} is not an integer`,
    );
  }
  return value;
}

export type OptionsKind = "ListOptions" | "CreateOptions" | "UpdateOptions" | "PatchOptions" | "DeleteOptions";

/**
 * Refuses invalid options.
 * @throws StatusError Invalid (422) with all errors, when there are any
 */
export function refuseInvalid(kind: OptionsKind, errors: readonly FieldError[], vocabulary: Vocabulary): void {
  if (errors.length > 0) throw invalid({ group: vocabulary.groups.meta, kind }, "", errors);
}
