// Reading the query of a request. Source: facts, http.md "Query parameters".
import { badRequest } from "../errors/request-errors";

/** What is used of a URLSearchParams. */
export interface QueryParameters {
  get(name: string): string | null;
  getAll(name: string): string[];
}

/** Absent is false; present is true, without a value too, unless it is `0` or `false` in any case. */
export function queryBoolean(query: QueryParameters, name: string): boolean {
  return optionalQueryBoolean(query, name) ?? false;
}

export function optionalQueryBoolean(query: QueryParameters, name: string): boolean | undefined {
  const text = query.get(name);
  return text === null ? undefined : text !== "0" && text.toLowerCase() !== "false";
}

/**
 * @returns undefined where the parameter is absent or without value
 * @throws StatusError BadRequest (400) for what is no decimal integer
 */
export function queryInteger(query: QueryParameters, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  const value = /^[-+]?\d{1,19}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) {
    throw badRequest(
      `invalid value of the query parameter ${name}: ${JSON.stringify(text.slice(0, 64))} is not an integer`,
    );
  }
  return value;
}
