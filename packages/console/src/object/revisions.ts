// The recorded writes of an object. Format: docs/history.md, "Look back".
import { objectPath, type Resource } from "../discovery/resource";
import { json } from "../requests/api";
import type { ApiObject } from "../values/api-object";

export interface PatchStep {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export interface Revision {
  readonly resourceVersion: string;
  /** Version before the write; absent when the object was created. */
  readonly replaces?: string;
  readonly time: string;
  readonly change: "created" | "updated" | "deleted";
  readonly verb: string;
  readonly subresource?: string;
  readonly user: string;
  readonly userAgent?: string;
  readonly fieldManager?: string;
  readonly patch?: readonly PatchStep[];
  readonly note?: string;
}

export interface RevisionList {
  readonly metadata: { readonly remainingItemCount?: number };
  readonly items: readonly Revision[];
}

export interface ObjectPlace {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
}

const MOST = 500;

const pathOf = ({ resource, namespace, name }: ObjectPlace): string => objectPath(resource, namespace, name);

export const listRevisions = (place: ObjectPlace, signal: AbortSignal): Promise<RevisionList> =>
  json<RevisionList>(`${pathOf(place)}/history`, { query: { limit: MOST }, signal });

export const stateAt = (place: ObjectPlace, revision: string, signal?: AbortSignal): Promise<ApiObject> =>
  json<ApiObject>(`${pathOf(place)}/history`, { query: { revision }, ...(signal === undefined ? {} : { signal }) });

/** Updates the object to a former state. @param resourceVersion the present version, unless which the write is refused */
export const rollBack = (
  place: ObjectPlace,
  revision: string,
  { resourceVersion, dryRun }: { readonly resourceVersion: string | undefined; readonly dryRun?: "All" },
): Promise<ApiObject> =>
  json<ApiObject>(`${pathOf(place)}/rollback`, { method: "POST", query: { revision, resourceVersion, dryRun } });

/** Creates a deleted object again; in its last state without a revision. */
export const restore = (place: ObjectPlace, revision?: string): Promise<ApiObject> =>
  json<ApiObject>(`${pathOf(place)}/restore`, { method: "POST", query: { revision } });
