// Parameters of this server that ask a list for more, or for less: count, fields, sortBy and history. Kubernetes ignores unknown
// parameters. A client that relies on one of these must not take an answer without it for the right one, so names and
// values are checked. Source: docs/lists.md.
import { badRequest } from "../errors/request-errors";
import { type FieldTree, parseFieldTree, parseMemberPath } from "./field-paths";
import type { QueryParameters } from "./query-parameters";

/** Order of a list. */
export interface ListOrder {
  /** Member names that lead to the compared value. */
  readonly path: readonly string[];
  readonly descending: boolean;
  /** The parameter as the client sent it. */
  readonly text: string;
}

/** The verbs that understand each parameter. */
const VERBS: Readonly<Record<Question, readonly string[]>> = {
  count: ["list"],
  fields: ["get", "list"],
  history: ["list"],
  sortBy: ["list"],
};

type Question = "count" | "fields" | "history" | "sortBy";

/** The intended parameter by names that are easily written instead, without case, hyphens and underscores. */
const MEANT = new Map<string, Question>([
  ["count", "count"],
  ["counts", "count"],
  ["field", "fields"],
  ["fields", "fields"],
  ["history", "history"],
  ["sort", "sortBy"],
  ["sortby", "sortBy"],
  ["orderby", "sortBy"],
]);

/** Longer names resemble none of these parameters. */
const NAME_MAX = 16;

/**
 * Checks the names of the parameters: one of this family must be written exactly, and be understood by the verb.
 * @throws StatusError BadRequest (400) that names the parameter and the remedy
 */
export function requireQuestions(query: Iterable<readonly [string, string]>, verb: string): void {
  for (const [name] of query) {
    if (name.length > NAME_MAX) continue;
    const meant = MEANT.get(name.toLowerCase().replaceAll(/[-_]/g, ""));
    if (meant === undefined) continue;
    if (name !== meant) throw badRequest(`${name}: is not a parameter of this server; write ${meant}`);
    if (!VERBS[meant].includes(verb))
      throw badRequest(`${name}: is understood by ${VERBS[meant].join(" and ")}, not by ${verb}; remove it`);
  }
}

/**
 * Parses `fields`. Several parameters count as one.
 * @returns undefined when absent
 * @throws StatusError BadRequest (400)
 */
export function parseFields(query: QueryParameters): FieldTree | undefined {
  const all = query.getAll("fields");
  return all.length === 0 ? undefined : parseFieldTree("fields", all.join());
}

/** @throws StatusError BadRequest (400) */
export function parseCount(query: QueryParameters): boolean {
  const text = once(query, "count");
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  throw badRequest(`count: ${JSON.stringify(text.slice(0, 64))}: must be true or false`);
}

/**
 * Parses `sortBy`.
 * @returns undefined when absent
 * @throws StatusError BadRequest (400)
 */
export function parseSortBy(query: QueryParameters): ListOrder | undefined {
  const text = once(query, "sortBy");
  if (text === undefined) return undefined;
  const descending = text.startsWith("-");
  return { path: parseMemberPath("sortBy", descending ? text.slice(1) : text), descending, text };
}

function once(query: QueryParameters, name: Question): string | undefined {
  const [text, further] = query.getAll(name);
  if (further !== undefined) throw badRequest(`${name}: is given twice; give it once`);
  return text;
}
