// The history that the server keeps of objects: recorded writes, former states, deleted objects, and the writes that bring a
// state back. Source: docs/history.md.
import { type Client, type DiscoveredResource, resourcePath, type WriteOptions } from "@orch/client";
import { isCode, StatusError } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { CliError } from "../process/cli-error";
import { objectText } from "./resource-arguments";

/** The server that keeps the history: a session, or a part of one. */
export interface HistoryAccess {
  client(): Promise<Client>;
  readonly signal: AbortSignal;
}

/** A resource, and the namespace of its objects; undefined: all namespaces, or no namespaces. */
export interface HistoryPlace {
  readonly type: DiscoveredResource;
  readonly namespace: string | undefined;
}

export interface HistoryObject extends HistoryPlace {
  readonly name: string;
}

export interface PatchStep {
  readonly op: string;
  readonly path: string;
}

/** A recorded write. */
export interface RecordedWrite {
  readonly resourceVersion: string;
  /** Resource version before the write; absent when the object was created. */
  readonly replaces?: string;
  readonly time: string;
  readonly change: "created" | "updated" | "deleted";
  readonly verb?: string;
  readonly subresource?: string;
  readonly user?: string;
  readonly fieldManager?: string;
  readonly patch?: readonly PatchStep[];
  /** The reason why there is no patch. */
  readonly note?: string;
}

export interface RevisionList {
  readonly kind: "RevisionList";
  readonly metadata?: { readonly remainingItemCount?: number };
  /** The newest first. */
  readonly items: readonly RecordedWrite[];
}

export interface DeletedObject {
  readonly namespace?: string;
  readonly name: string;
  readonly time: string;
  readonly user?: string;
  /** Resource version of the last state; absent when that state is not kept. */
  readonly lastState?: string;
}

type Query = Readonly<Record<string, string | undefined>>;

/** Maximum number of objects in an answer of the server. */
const PAGE_ITEMS = 500;

/** Returns the answer of the subresource `history`, whatever its kind is. */
export const historyDocument = (access: HistoryAccess, of: HistoryObject, limit?: string): Promise<JsonValue> =>
  request(access, "GET", of, { part: "history", query: { limit } });

export const isRevisionList = (document: unknown): document is RevisionList & JsonObject =>
  isObject(document) && document["kind"] === "RevisionList" && Array.isArray(document["items"]);

/** Returns the recorded writes. @throws CliError when the server keeps no history of the resource */
export async function recordedWrites(
  access: HistoryAccess,
  of: HistoryObject,
  limit?: string,
): Promise<RevisionList & JsonObject> {
  const document = await served(of, historyDocument(access, of, limit));
  if (!isRevisionList(document)) throw withoutHistory(of);
  return document;
}

/** Returns the state of an object at a resource version. */
export const stateAt = async (access: HistoryAccess, of: HistoryObject, revision: string): Promise<JsonObject> =>
  (await served(of, request(access, "GET", of, { part: "history", query: { revision } }))) as JsonObject;

/** Returns the state before the last deletion. */
export async function lastState(access: HistoryAccess, of: HistoryObject): Promise<JsonObject> {
  const { items } = await recordedWrites(access, of);
  const { replaces } = items.find(({ change }) => change === "deleted") ?? {};
  if (replaces === undefined)
    throw new CliError(`no deleted ${objectText(of.type, of.name)} is kept in the history: it was not deleted`);
  return stateAt(access, of, replaces);
}

export interface RollbackOptions extends WriteOptions {
  /** Resource version that the object must have; "" for any. */
  readonly resourceVersion?: string;
}

/** Updates the object to a former state. */
export const rollBack = async (
  access: HistoryAccess,
  of: HistoryObject,
  revision: string,
  { resourceVersion, ...options }: RollbackOptions,
): Promise<JsonObject> => written(access, of, "rollback", { revision, resourceVersion, ...writeQuery(options) });

/** Creates a deleted object again. @param revision undefined: in its last state */
export async function restore(
  access: HistoryAccess,
  of: HistoryObject,
  revision: string | undefined,
  options: WriteOptions,
): Promise<JsonObject> {
  try {
    return await written(access, of, "restore", { revision, ...writeQuery(options) });
  } catch (error) {
    if (!isCode(error, 404) || error.details?.kind !== "namespaces" || of.type.resource === "namespaces") throw error;
    throw new CliError(
      `${error.message}: a new namespace of this name ends the history of what was in the deleted one; ` +
        `orch history ${objectText(of.type, of.name)} -n ${of.namespace} lists the states, and --revision shows one`,
    );
  }
}

/** Yields the deleted objects that do not exist now, page by page. */
export async function* deletedObjects(
  access: HistoryAccess,
  place: HistoryPlace,
): AsyncGenerator<readonly DeletedObject[], void, undefined> {
  let after: string | undefined;
  do {
    const query = { history: "deleted", limit: String(PAGE_ITEMS), continue: after };
    const list = await served(place, request(access, "GET", place, { query }));
    // A server without this parameter lists the objects that exist.
    if (!isObject(list) || list["kind"] !== "DeletedObjectList") throw withoutHistory(place);
    yield (list["items"] ?? []) as unknown as readonly DeletedObject[];
    const { continue: next } = (list["metadata"] ?? {}) as { readonly continue?: string };
    after = next === "" ? undefined : next;
  } while (after !== undefined);
}

/** Checks a resource version of the command line. @throws CliError */
export function resourceVersionIn(option: string, text: string): string {
  if (/^[1-9]\d{0,15}$/.test(text)) return text;
  throw new CliError(
    `${option}: ${JSON.stringify(text)} is not a resource version: it must be a decimal number above 0, as orch history TYPE/NAME lists them`,
  );
}

const writeQuery = ({ dryRun, fieldManager }: WriteOptions): Query => ({
  dryRun: dryRun === true ? "All" : undefined,
  fieldManager,
});

async function written(access: HistoryAccess, of: HistoryObject, part: string, query: Query): Promise<JsonObject> {
  return (await served(of, request(access, "POST", of, { part, query }))) as JsonObject;
}

async function request(
  access: HistoryAccess,
  method: "GET" | "POST",
  { type, namespace, name }: HistoryPlace & { readonly name?: string },
  { part, query }: { readonly part?: string; readonly query: Query },
): Promise<JsonValue> {
  const place = resourcePath(type, {
    namespace,
    ...(name !== undefined && { name }),
    ...(part !== undefined && { subresource: part }),
  });
  const set = Object.entries(query).filter((each): each is [string, string] => (each[1] ?? "") !== "");
  const path = set.length === 0 ? place : `${place}?${new URLSearchParams(set)}`;
  return (await access.client()).requestJson({ method, path, signal: access.signal });
}

/** @throws CliError for the answer of a server that does not have the path */
async function served<T>(place: HistoryPlace, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!isCode(error, 404, 405)) throw error;
    // A missing object, or a missing state, is named in the details.
    if (error instanceof StatusError && (error.details?.name ?? "") !== "") throw error;
    throw withoutHistory(place);
  }
}

function withoutHistory({ type: { resource, group } }: HistoryPlace): CliError {
  const named = group === "" ? resource : `${resource}.${group}`;
  return new CliError(`the server keeps no history of ${named}: it does not serve the subresource history for them`);
}
