// Query parameters of requests. Source: Kubernetes API reference, "Common Parameters".
import type { GroupVersionKind } from "@orch/schema";

export interface QueryParameter {
  readonly type: "string" | "boolean" | "integer";
  /** The parameter may be repeated. */
  readonly repeats?: true;
  readonly required?: true;
  readonly description: string;
}

export const QUERY_PARAMETERS = {
  accessible: {
    type: "boolean",
    description: "Returns only namespaces in which the user has any permission; every authenticated user may use it.",
  },
  pretty: { type: "string", description: "Whether the answer is indented for readability." },
  labelSelector: {
    type: "string",
    description: "Returns only objects whose labels match, for instance app=web,tier in (a,b).",
  },
  fieldSelector: {
    type: "string",
    description: "Returns only objects whose fields match, for instance metadata.name=web.",
  },
  limit: {
    type: "integer",
    description: "Maximum number of objects in the answer; its continue token requests the next ones.",
  },
  continue: {
    type: "string",
    description: "Continue token of the previous answer; the list continues where that answer ended.",
  },
  resourceVersion: {
    type: "string",
    description: "Resource version that the data must have or reach; see resourceVersionMatch.",
  },
  resourceVersionMatch: {
    type: "string",
    description: "Whether the data must be of exactly that resource version (Exact) or may be newer (NotOlderThan).",
  },
  count: {
    type: "boolean",
    description: "Whether metadata.remainingItemCount is exact, also in lists with selectors.",
  },
  fields: {
    type: "string",
    description: "Returns only these fields, for instance .metadata.labels,.status.phase, and the identity of objects.",
  },
  sortBy: {
    type: "string",
    description: "Field by which the list is ordered, for instance .metadata.creationTimestamp; -.PATH: descending.",
  },
  watch: { type: "boolean", description: "Returns a stream of changes instead of a list." },
  allowWatchBookmarks: {
    type: "boolean",
    description: "Allows BOOKMARK events in a watch, which carry only a resource version.",
  },
  sendInitialEvents: { type: "boolean", description: "Starts a watch with the existing objects." },
  timeoutSeconds: { type: "integer", description: "Maximum duration of the watch in seconds." },
  dryRun: { type: "string", description: "All: the server processes the request but stores nothing." },
  fieldManager: { type: "string", description: "Name of the field manager of the fields that this request sets." },
  fieldValidation: {
    type: "string",
    description: "Treatment of unknown and duplicate fields: Ignore, Warn, or Strict, which rejects the request.",
  },
  force: { type: "boolean", description: "Takes over fields of other field managers. Allowed for apply patches only." },
  gracePeriodSeconds: { type: "integer", description: "Seconds before the object is deleted; 0: at once." },
  orphanDependents: {
    type: "boolean",
    description: "Deprecated: use propagationPolicy. Whether dependents are orphaned.",
  },
  propagationPolicy: {
    type: "string",
    description: "Treatment of dependents: Orphan, Background or Foreground.",
  },
} as const satisfies Readonly<Record<string, QueryParameter>>;

export type QueryParameterName = keyof typeof QUERY_PARAMETERS;

export const LIST_PARAMETERS: readonly QueryParameterName[] = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "timeoutSeconds",
  "watch",
];
/** Parameters of lists and watches of a kind. */
export const listParametersOf = ({ group, kind }: GroupVersionKind): readonly QueryParameterName[] =>
  group === "" && kind === "Namespace" ? ["accessible", ...LIST_PARAMETERS] : LIST_PARAMETERS;

/** Parameters of lists that a watch does not have. */
export const QUESTION_PARAMETERS: readonly QueryParameterName[] = ["count", "fields", "sortBy"];

export const WRITE_PARAMETERS: readonly QueryParameterName[] = ["dryRun", "fieldManager", "fieldValidation"];
export const DELETE_PARAMETERS: readonly QueryParameterName[] = [
  "dryRun",
  "gracePeriodSeconds",
  "orphanDependents",
  "propagationPolicy",
];

export const PATH_PARAMETERS = {
  name: "Name of the object.",
  namespace: "Namespace of the object.",
  path: "Path of the forwarded request.",
} as const;

/** Parameters that stand in the operation itself: clients look for them there to detect server features. */
export const ALWAYS_SPELT_OUT: ReadonlySet<QueryParameterName> = new Set(["dryRun", "fieldValidation"]);
