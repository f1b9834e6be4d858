// What can be asked of each verb, and how it is written into a query. Source: resource-api, "Query parameters".

/** Of every request. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** Of one to somebody who is no API server. */
export interface PostOptions extends CallOptions {
  /** Of the answer, that of a refusal included; more is an error. Default: no bound. */
  readonly answerMaxBytes?: number;
}

/** How much of objects is brought. */
export interface PartOptions {
  /**
   * `metadata`: `apiVersion`, `kind` and `metadata` alone (PartialObjectMetadata); a server that cannot send these sends whole objects.
   * Default: `whole`.
   */
  readonly part?: "whole" | "metadata";
  /** Leaves out `metadata.managedFields`, which may be larger than the rest of the object. Default: false. */
  readonly dropsManagedFields?: boolean;
}

export interface GetOptions extends PartOptions, CallOptions {
  /** "0": whatever the server has at hand. */
  readonly resourceVersion?: string;
}

export interface SelectionOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends SelectionOptions, PartOptions, CallOptions {
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan";
  /** Items of a page. */
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions extends SelectionOptions, PartOptions, CallOptions {
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  /** After which the server ends the watch. */
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
  /** Takes fields from other managers. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan";
  /** What must still be true of the object; 409 otherwise. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Patch kinds by the media type that chooses them. */
export const PATCH_TYPES = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
} as const;

export type PatchType = keyof typeof PATCH_TYPES;

export const APPLY_TYPE = "application/apply-patch+yaml";

type QueryValue = string | number | boolean | undefined;

/** `?limit=500&watch=1`; "" where nothing is set. `true` is written as 1, and false not at all. */
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
  limit: options.limit,
  continue: options.continue,
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

/** The body of a deletion; undefined where nothing is asked. */
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
