// Lists in pages.
import type { ListMeta } from "../values/api-object";
import { json, type RequestOptions } from "./api";
import { asFailure } from "./failure";

const PAGE_SIZE = 500;

export interface Page {
  readonly metadata: ListMeta;
}

/**
 * Yields the pages of a list. A continue token that has expired is answered 410; the list then continues with the token of
 * that answer when there is one, else it begins again, which `restarted` tells.
 */
export async function* pagesOf<T extends Page>(
  path: string,
  options: RequestOptions & { readonly pageSize?: number; readonly restarted?: () => void } = {},
): AsyncGenerator<T, void, undefined> {
  const { pageSize = PAGE_SIZE, restarted, ...request } = options;
  let token: string | undefined;
  for (;;) {
    let page: T;
    try {
      page = await json<T>(path, { ...request, query: { ...request.query, limit: pageSize, continue: token } });
    } catch (error) {
      if (asFailure(error).code !== 410 || token === undefined) throw error;
      token = undefined;
      restarted?.();
      continue;
    }
    yield page;
    token = page.metadata.continue;
    if (token === undefined || token === "") return;
  }
}

/** Returns the items of a list, at most `max` of them. */
export async function itemsOf<T>(
  path: string,
  options: RequestOptions & { readonly max?: number } = {},
): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string; readonly isWhole: boolean }> {
  const { max = 10_000, ...request } = options;
  let items: T[] = [];
  let resourceVersion = "";
  const restarted = () => {
    items = [];
  };
  for await (const page of pagesOf<Page & { readonly items: readonly T[] | null }>(path, { ...request, restarted })) {
    items.push(...(page.items ?? []));
    resourceVersion = page.metadata.resourceVersion ?? "";
    if (items.length >= max) return { items, resourceVersion, isWhole: !page.metadata.continue };
  }
  return { items, resourceVersion, isWhole: true };
}
