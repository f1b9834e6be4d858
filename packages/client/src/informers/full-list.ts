// Lists a collection for an informer, page by page when the server pages, and in one request when the snapshot expires
// meanwhile. Source: Kubernetes API concepts, "Retrieving large results sets in chunks".
import { isCode } from "@orch/machinery";
import type { List, ListSource } from "./list-source";

export interface FullList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly paged: boolean;
}

const PAGE_ITEMS = 500;

/**
 * Lists the whole collection.
 * @param resourceVersion "0" for any version that the server has, "" for the most recent one, else a minimum
 * @throws StatusError, ConnectionError and the signal's reason
 */
export async function fullList<T extends object>(
  source: ListSource<T>,
  asked: { readonly resourceVersion: string; readonly pages: boolean; readonly signal: AbortSignal },
): Promise<FullList<T>> {
  const { resourceVersion, signal } = asked;
  // A limit together with a resource version may be answered at exactly that version, which may have been compacted. The
  // caller asks for pages in the first list, and later only from servers that paged it: others answer complete lists
  // from their watch cache.
  const limit = asked.pages ? { limit: PAGE_ITEMS } : {};
  const version = resourceVersion === "" ? {} : { resourceVersion };
  let page: List<T> = await source.list({ ...limit, ...version, signal });
  const first = page;
  if (first.continue === "") return { items: first.items, resourceVersion: first.resourceVersion, paged: false };
  const items: T[] = [...first.items];
  try {
    while (page.continue !== "") {
      page = await source.list({ ...limit, continue: page.continue, signal });
      for (const item of page.items) items.push(item);
    }
  } catch (error) {
    if (!isTooOld(error)) throw error;
    const whole = await source.list({ ...version, signal });
    return { items: whole.items, resourceVersion: whole.resourceVersion, paged: true };
  }
  return { items, resourceVersion: first.resourceVersion, paged: true };
}

/** Reports that the requested resource version has expired (410). */
export const isTooOld = (error: unknown): boolean => isCode(error, 410);

/** Reports that the server has not reached the requested resource version within its timeout. */
export const isTooNew = (error: unknown): boolean =>
  isCode(error, 504) && error.message.includes("Too large resource version");
