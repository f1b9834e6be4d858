// The options of get and list, and of what begins like a list: watch and deletecollection.
// Source: resource-api, "Resource version semantics" and "Query parameters"; facts, http.md.
import type { Vocabulary } from "@orch/schema";
import { type FieldError, forbidden, notSupported } from "../errors/field-error";
import { refuseInvalid } from "../errors/option-errors";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import { type FieldTerm, parseFieldSelector } from "../selectors/field-selector";
import { type LabelSelector, parseLabelSelector } from "../selectors/label-selector";
import { type QueryParameters, queryInteger } from "./query-parameters";
import { ANY, type GetSemantics, MOST_RECENT, type ReadSemantics } from "./read-semantics";
import { parseResourceVersion, resourceVersionProblem } from "./resource-version";

/** Which objects a list, a watch or a deletecollection is about. */
export interface SelectionOptions {
  /** Undefined selects every object. */
  readonly labels: LabelSelector | undefined;
  /** Sorted; empty selects every object. Whether the resource knows the fields: `checkSelectable`. */
  readonly fields: readonly FieldTerm[];
}

export interface ListOptions extends SelectionOptions {
  /** With a continue token, the token's version is read, and this is "most recent" without meaning. */
  readonly read: ReadSemantics;
  /** 0: no limit. */
  readonly limit: number;
  /** As the client sent it; "" for the first chunk. */
  readonly continueToken: string;
}

/** @throws StatusError BadRequest (400) for what cannot be read */
export function parseGetOptions(query: QueryParameters): GetSemantics {
  const resourceVersion = readResourceVersion(query);
  if (resourceVersion === undefined) return MOST_RECENT;
  return resourceVersion === 0 ? ANY : { kind: "notOlderThan", resourceVersion };
}

/**
 * @throws StatusError BadRequest (400) for what cannot be read, and for a version beside a continue token;
 *   Invalid (422) for combinations that the tables of the interface call invalid
 */
export function parseListOptions(query: QueryParameters, vocabulary: Vocabulary): ListOptions {
  const resourceVersion = readResourceVersion(query);
  const limit = Math.max(queryInteger(query, "limit") ?? 0, 0);
  queryInteger(query, "timeoutSeconds"); // means nothing here, but is read all the same
  const continueToken = query.get("continue") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const errors = [
    ...matchErrors(match, { resourceVersion, continueToken }),
    ...(query.get("sendInitialEvents") === null
      ? []
      : [forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")]),
  ];
  refuseInvalid("ListOptions", errors, vocabulary);
  if (continueToken !== "" && resourceVersion !== undefined && resourceVersion !== 0) {
    throw badRequest(BAD_REQUEST_TEXT.resourceVersionWithContinue());
  }
  const read = continueToken === "" ? listSemantics(match, { resourceVersion, limit }) : MOST_RECENT;
  return { read, limit, continueToken, ...parseSelection(query) };
}

/** @throws StatusError BadRequest (400) */
export function parseSelection(query: QueryParameters): SelectionOptions {
  return {
    labels: parseLabelSelector(query.get("labelSelector") ?? ""),
    fields: parseFieldSelector(query.get("fieldSelector") ?? ""),
  };
}

/** The list table of the interface, for its valid cells without a continue token. */
function listSemantics(
  match: string,
  asked: { readonly resourceVersion: number | undefined; readonly limit: number },
): ReadSemantics {
  const { resourceVersion, limit } = asked;
  if (resourceVersion === undefined) return MOST_RECENT;
  if (resourceVersion === 0) return ANY;
  const exact = match === "Exact" || (match === "" && limit > 0);
  return { kind: exact ? "exact" : "notOlderThan", resourceVersion };
}

function matchErrors(
  match: string,
  beside: { readonly resourceVersion: number | undefined; readonly continueToken: string },
): FieldError[] {
  if (match === "") return [];
  const path = "resourceVersionMatch";
  return [
    ...(beside.resourceVersion === undefined
      ? [forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided")]
      : []),
    ...(beside.continueToken === ""
      ? []
      : [forbidden(path, "resourceVersionMatch is forbidden when continue is provided")]),
    ...(match === "Exact" || match === "NotOlderThan" ? [] : [notSupported(path, match, ["Exact", "NotOlderThan"])]),
    ...(match === "Exact" && beside.resourceVersion === 0
      ? [forbidden(path, 'resourceVersionMatch "Exact" is forbidden for resourceVersion "0"')]
      : []),
  ];
}

/** @returns undefined where unset, 0 where "0" */
function readResourceVersion(query: QueryParameters): number | undefined {
  const text = query.get("resourceVersion") ?? "";
  if (text === "") return undefined;
  const resourceVersion = parseResourceVersion(text);
  if (resourceVersion === undefined) {
    throw badRequest(BAD_REQUEST_TEXT.invalidResourceVersion(resourceVersionProblem(text)));
  }
  return resourceVersion;
}
