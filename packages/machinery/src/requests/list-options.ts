// Options of get and list, and the options that watch and deletecollection share with list. Source: "Resource versions"
// in Kubernetes API concepts.
import type { Vocabulary } from "@orch/schema";
import { type FieldError, forbidden, notSupported } from "../errors/field-error";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import { type FieldTerm, parseFieldSelector } from "../selectors/field-selector";
import { type LabelSelector, parseLabelSelector } from "../selectors/label-selector";
import { parseShardSelector, type ShardSelector, ShardSelectorError } from "../selectors/shard-selector";
import { type ListOrder, parseCount, parseSortBy } from "./list-questions";
import { type QueryParameters, queryInteger, refuseInvalid } from "./query-parameters";
import {
  ANY,
  type GetSemantics,
  MOST_RECENT,
  parseResourceVersion,
  type ReadSemantics,
  resourceVersionProblem,
} from "./read-semantics";

/** Selectors of a list, watch or deletecollection. */
export interface SelectionOptions {
  /** Undefined selects every object. */
  readonly labels: LabelSelector | undefined;
  /** Sorted; empty selects every object. `checkSelectable` checks that the resource supports the fields. */
  readonly fields: readonly FieldTerm[];
  /** Undefined selects every object. */
  readonly shard?: ShardSelector;
}

/** Parameters that the server understands beside those of every release. */
export interface SelectionFeatures {
  /** The parameter shardSelector: feature gate ShardedListAndWatch. */
  readonly shards: boolean;
}

export interface ListOptions extends SelectionOptions {
  /** Ignored with a continue token, whose own resource version is read; the value is then "most recent". */
  readonly read: ReadSemantics;
  /** 0: no limit. */
  readonly limit: number;
  /** The continue token from the client; "" for the first page. */
  readonly continueToken: string;
  /** Count the objects that follow this page, also with a selector, and report that none follows. */
  readonly count?: true;
  /** Absent: the order of namespaces and names. */
  readonly order?: ListOrder;
}

/**
 * Parses the options of a get.
 * @throws StatusError BadRequest (400) for unparsable values
 */
export function parseGetOptions(query: QueryParameters): GetSemantics {
  const resourceVersion = readResourceVersion(query);
  if (resourceVersion === undefined) return MOST_RECENT;
  return resourceVersion === 0 ? ANY : { kind: "notOlderThan", resourceVersion };
}

/**
 * Parses the options of a list.
 * @throws StatusError BadRequest (400) for unparsable values, and for a resource version together with a continue
 * token; Invalid (422) for invalid combinations of resourceVersion and resourceVersionMatch
 */
export function parseListOptions(
  query: QueryParameters,
  vocabulary: Vocabulary,
  features?: SelectionFeatures,
): ListOptions {
  const resourceVersion = readResourceVersion(query);
  const limit = Math.max(queryInteger(query, "limit") ?? 0, 0);
  queryInteger(query, "timeoutSeconds"); // has no effect on a list, but must be valid
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
  const order = parseSortBy(query);
  return {
    read,
    limit,
    continueToken,
    ...(parseCount(query) ? { count: true } : {}),
    ...(order === undefined ? {} : { order }),
    ...parseSelection(query, features),
  };
}

/**
 * Parses the selectors.
 * @throws StatusError BadRequest (400)
 */
export function parseSelection(query: QueryParameters, features?: SelectionFeatures): SelectionOptions {
  const shard = query.get("shardSelector") ?? "";
  return {
    labels: parseLabelSelector(query.get("labelSelector") ?? ""),
    fields: parseFieldSelector(query.get("fieldSelector") ?? ""),
    ...(shard === "" ? {} : { shard: readShard(shard, features?.shards === true) }),
  };
}

/** A client that asks for a shard must not take the whole for it, so the parameter is never ignored. */
function readShard(text: string, isOn: boolean): ShardSelector {
  if (!isOn) throw badRequest("shardSelector is not supported: the feature gate ShardedListAndWatch is off");
  try {
    return parseShardSelector(text);
  } catch (error) {
    if (!(error instanceof ShardSelectorError)) throw error;
    throw badRequest(`invalid shard selector: ${error.message}`);
  }
}

/**
 * Returns the read semantics of a list without a continue token. Source: Kubernetes API concepts, "resourceVersion
 * parameter".
 */
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
    ...(match === "Exact" || match === "NotOlderThan"
      ? []
      : [notSupported(path, match, ["Exact", "NotOlderThan", ""])]),
    ...(match === "Exact" && beside.resourceVersion === 0
      ? [forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
      : []),
  ];
}

/**
 * Parses the resourceVersion parameter.
 * @returns undefined when unset, 0 for "0"
 */
function readResourceVersion(query: QueryParameters): number | undefined {
  const text = query.get("resourceVersion") ?? "";
  if (text === "") return undefined;
  const resourceVersion = parseResourceVersion(text);
  if (resourceVersion === undefined) {
    throw badRequest(BAD_REQUEST_TEXT.invalidResourceVersion(resourceVersionProblem(text)));
  }
  return resourceVersion;
}
