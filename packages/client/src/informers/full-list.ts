// A whole list for an informer, page by page where the server pages, and at once where a snapshot vanishes meanwhile.
// Source: facts, client.md "List and watch"; resource-api, "Resource version semantics".
import { isCode } from "@orch/machinery";
import type { List, ListSource } from "./list-source";

export interface FullList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly paged: boolean;
}

const PAGE_ITEMS = 500;

/**
 * @param resourceVersion "0" for whatever the server has, "" for the most recent, else not older than that
 * @throws StatusError, ConnectionError and the signal's reason
 */
export async function fullList<T extends object>(
  source: ListSource<T>,
  asked: { readonly resourceVersion: string; readonly pages: boolean; readonly signal: AbortSignal },
): Promise<FullList<T>> {
  const { resourceVersion, signal } = asked;
  // A version and a limit together would ask for exactly that version, which may be gone: the cache answers whole lists better.
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

/** The version that was asked for is gone. */
export const isTooOld = (error: unknown): boolean => isCode(error, 410);

/** The server that answers has not seen the version that was asked for, and did not within its patience. */
export const isTooNew = (error: unknown): boolean =>
  isCode(error, 504) && error.message.includes("Too large resource version");
