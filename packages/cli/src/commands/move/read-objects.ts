// Reads all objects of a resource page by page, all from one snapshot. The size of a page follows the size of the
// objects, so that a page of large ones needs little memory.
import { type Client, type DiscoveredResource, resourcePath } from "@orch/client";
import { isCode } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, readJson } from "@orch/schema";
import { listPages } from "../../resources/list-pages";

export interface PageSelection {
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly signal?: AbortSignal;
}

const FIRST_LIMIT = 50;
const LIMIT_MAX = 500;
/** Wanted size of a page. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** How often a resource is read again when its snapshot expires on the way. */
const TRIES = 5;

/**
 * Passes all objects to `add`. When the snapshot expires, `begin` is called again, and all objects follow from a newer one.
 */
export async function readObjects(
  client: Client,
  type: DiscoveredResource,
  { namespace, labelSelector, signal }: PageSelection,
  receive: { readonly begin: () => void; readonly add: (object: JsonObject) => void },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    receive.begin();
    try {
      return await readSnapshot(client, type, { namespace, labelSelector, signal }, receive.add);
    } catch (error) {
      if (!isCode(error, 410) || tries === TRIES) throw error;
    }
  }
}

async function readSnapshot(
  client: Client,
  type: DiscoveredResource,
  { namespace, labelSelector, signal }: { [Key in keyof PageSelection]: PageSelection[Key] | undefined },
  add: (object: JsonObject) => void,
): Promise<void> {
  const path = resourcePath(type, { namespace: type.namespaced ? namespace : undefined });
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  let limit = FIRST_LIMIT;
  const read = async (token: string): Promise<JsonObject> => {
    const query = new URLSearchParams({ limit: String(limit) });
    if (labelSelector !== undefined) query.set("labelSelector", labelSelector);
    if (token !== "") query.set("continue", token);
    const text = await client.requestText({
      method: "GET",
      path: `${path}?${query}`,
      accept: "application/json",
      ...(signal && { signal }),
    });
    const list = readJson(text);
    if (!isObject(list)) throw new Error(`the answer to GET ${path} is no list`);
    const bytesOfItem = text.length / Math.max(1, itemsOf(list).length);
    limit = Math.max(1, Math.min(LIMIT_MAX, Math.floor(PAGE_BYTES / bytesOfItem)));
    return list;
  };
  for await (const page of listPages(read)) {
    // Items of lists have no kind of their own.
    for (const item of itemsOf(page)) if (isObject(item)) add({ apiVersion, kind: type.kind, ...item });
  }
}

const itemsOf = ({ items }: JsonObject): readonly JsonValue[] => (Array.isArray(items) ? items : []);
