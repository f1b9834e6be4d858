// Options of each verb, and their query parameters. Source: Kubernetes API concepts.

/** Options of every request. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Options of a request to a server that is not an API server. */
export interface PostOptions extends CallOptions {
  /** Maximum size of the response, including error responses; a longer one is an error. Default: no limit. */
  readonly answerMaxBytes?: number;
}

/** Parts of objects to return. */
export interface PartOptions {
  /**
   * `metadata`: only `apiVersion`, `kind` and `metadata` (PartialObjectMetadata); a server that does not support this
   * sends whole objects. Default: `whole`.
   */
  readonly part?: "whole" | "metadata";
  /** Leaves out `metadata.managedFields`, which may be larger than the rest of the object. Default: false. */
  readonly dropsManagedFields?: boolean;
}

export interface GetOptions extends PartOptions, CallOptions {
  /** "0": any version that the server has. */
  readonly resourceVersion?: string;
}

export interface SelectionOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectionOptions, PartOptions, CallOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** Maximum number of items per page. */
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions extends SelectionOptions, PartOptions, CallOptions {
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  /** Duration after which the server ends the watch. */
  readonly timeoutSeconds?: number;
  readonly sendInitialEvents?: boolean;
  readonly resourceVersionMatch?: "NotOlderThan";
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes over fields of other field managers. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  /** Preconditions of the deletion; 409 when they do not hold. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Media types of the patch formats. */
export const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

export type PatchType = keyof typeof PATCH_TYPES;

export const APPLY_TYPE = "application/apply-patch+yaml";

type QueryValue = string | number | boolean | undefined;

/** Returns the query, such as `?limit=500&watch=true`; "" when nothing is set. `false` is omitted. */
export function queryText(values: Readonly<Record<string, QueryValue>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === false || value === "") continue;
    query.set(name, value === true ? "true" : String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

export const writeQuery = ({ dryRun, fieldManager, fieldValidation }: WriteOptions) => ({
  dryRun: dryRun === true ? "All" : undefined,
  fieldManager,
  fieldValidation,
});

export const listQuery = (options: ListOptions) => ({
  labelSelector: options.labelSelector,
  fieldSelector: options.fieldSelector,
  resourceVersion: options.resourceVersion,
  resourceVersionMatch: options.resourceVersionMatch,
  continue: options.continue,
  limit: options.limit,
});

export const watchQuery = (options: WatchOptions) => ({
  watch: true,
  labelSelector: options.labelSelector,
  fieldSelector: options.fieldSelector,
  resourceVersion: options.resourceVersion,
  resourceVersionMatch: options.resourceVersionMatch,
  allowWatchBookmarks: options.allowWatchBookmarks,
  timeoutSeconds: options.timeoutSeconds,
  sendInitialEvents: options.sendInitialEvents,
});

/** Returns the body of a deletion; undefined without options. */
export function deleteBody(options: DeleteOptions): string | undefined {
  const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = options;
  if (!dryRun && gracePeriodSeconds === undefined && propagationPolicy === undefined && preconditions === undefined) {
    return undefined;
  }
  return JSON.stringify({
    kind: "DeleteOptions",
    apiVersion: "v1",
    dryRun: dryRun === true ? ["All"] : undefined,
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
  });
}
