// Reads objects and lists from the server, lists page by page. Source: Kubernetes documentation, "Kubernetes API
// Concepts", "Retrieving large results sets in chunks".
import type { Client } from "@orch/client";
import { isCode } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { listPages } from "../../../resources/list-pages";
import type { Target } from "./targets";

export interface ReadOptions {
  /** Accepted media types; default: JSON. */
  readonly accept?: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Items of a page; 0: all. */
  readonly limit: number;
  /** Objects in the rows of tables. */
  readonly includeObject?: "Object";
  readonly subresource?: string | undefined;
  readonly signal?: AbortSignal;
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** Returns the path of a target with its query. */
export function pathOf({ type, namespace, name }: Target, query: Query, subresource?: string): string {
  const { group, version, resource } = type;
  const parts = [
    group === "" ? `/api/${version}` : `/apis/${group}/${version}`,
    ...(namespace === undefined ? [] : ["namespaces", encodeURIComponent(namespace)]),
    resource,
    ...(name === undefined ? [] : [encodeURIComponent(name)]),
    ...(name === undefined || subresource === undefined ? [] : [subresource]),
  ];
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== "" && value !== 0) parameters.set(key, String(value));
  }
  const text = parameters.toString();
  return parts.join("/") + (text === "" ? "" : `?${text}`);
}

/**
 * Yields the object, or the pages of the list. When the version of the list expires between two pages, the rest is read
 * in one piece, without the objects that were there before.
 * @throws StatusError, ConnectionError
 */
export async function* readPages(
  client: Client,
  target: Target,
  options: ReadOptions,
): AsyncGenerator<JsonObject, void, undefined> {
  const { accept, labelSelector, fieldSelector, limit, includeObject, subresource, signal } = options;
  const ask = (more: Query): Promise<JsonValue> =>
    client.requestJson({
      method: "GET",
      path: pathOf(target, { labelSelector, fieldSelector, includeObject, ...more }, subresource),
      ...(accept === undefined ? {} : { accept }),
      signal,
    });
  if (target.name !== undefined) {
    yield (await ask({}).catch((error: unknown) => throwWithNamespace(client, target, error))) as JsonObject;
    return;
  }
  const seen = new Set<string>();
  try {
    for await (const page of listPages(async (token) => (await ask({ continue: token, limit })) as JsonObject)) {
      yield page;
      for (const item of membersOf(page)) seen.add(keyOf(item));
    }
  } catch (error) {
    if (!isCode(error, 410) || seen.size === 0) throw error;
    yield withoutSeen((await ask({})) as JsonObject, seen);
  }
}

/** Throws the error, or that the namespace does not exist. */
async function throwWithNamespace(client: Client, { namespace }: Target, error: unknown): Promise<never> {
  if (!isCode(error, 404) || namespace === undefined || namespace === "default") throw error;
  try {
    await client.getJson(`/api/v1/namespaces/${encodeURIComponent(namespace)}`);
  } catch (missing) {
    if (isCode(missing, 404)) throw missing;
  }
  throw error;
}

const membersOf = ({ items, rows }: JsonObject): readonly JsonValue[] =>
  (Array.isArray(items) ? items : Array.isArray(rows) ? rows : []) as readonly JsonValue[];

/** Returns the identity of an item of a list, or of a row of a table. */
function keyOf(member: JsonValue): string {
  const object = isObject(member) && isObject(member["object"]) ? member["object"] : member;
  const { uid, namespace, name } = isObject(object) && isObject(object["metadata"]) ? object["metadata"] : {};
  return String(uid ?? `${String(namespace)}/${String(name)}`);
}

function withoutSeen(page: JsonObject, seen: ReadonlySet<string>): JsonObject {
  const key = Array.isArray(page["rows"]) ? "rows" : "items";
  return { ...page, [key]: membersOf(page).filter((member) => !seen.has(keyOf(member))) };
}
