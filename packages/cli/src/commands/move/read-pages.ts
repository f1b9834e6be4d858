// Reads all objects of a resource page by page, all from one snapshot. The size of a page follows the size of the
// objects, so that a page of large ones needs little memory.
import { type Client, type DiscoveredResource, resourcePath } from "@orch/client";
import { isCode } from "@orch/machinery";
import { isObject, type JsonObject, readJson } from "@orch/schema";
import { CliError } from "../../process/cli-error";

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
export async function readPages(
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
  let token = "";
  do {
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
    const items = Array.isArray(list["items"]) ? list["items"] : [];
    // Items of lists have no kind of their own.
    for (const item of items) if (isObject(item)) add({ apiVersion, kind: type.kind, ...item });
    const { metadata } = list;
    const next = isObject(metadata) && typeof metadata["continue"] === "string" ? metadata["continue"] : "";
    if (next !== "" && next === token)
      throw new CliError(`the server answers every page of ${path} with the same continue token`);
    token = next;
    limit = Math.max(1, Math.min(LIMIT_MAX, Math.floor(PAGE_BYTES / (text.length / Math.max(1, items.length)))));
  } while (token !== "");
}
