// Lists and watches that an informer needs: those of one resource, restricted to a namespace or by selectors.
import type { ListOptions, PartOptions, SelectionOptions, WatchOptions } from "../requests/options";
import type { List, ResourceClient } from "../requests/resource-client";
import type { WatchEvent } from "../requests/watch-events";

export type { List } from "../requests/resource-client";

export interface ListSource<T extends object> {
  list(options: ListOptions): Promise<List<T>>;
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

export function selected<T extends object>(
  client: ResourceClient<T>,
  selection: SelectionOptions & PartOptions,
): ListSource<T> {
  return {
    list: (options) => client.list({ ...selection, ...options }),
    watch: (options) => client.watch({ ...selection, ...options }),
  };
}

/** Returns a source that transforms each object when it arrives. Only one page of a list is ever held untransformed. */
export function transformed<T extends object>(source: ListSource<T>, transform: (object: T) => T): ListSource<T> {
  return {
    async list(options) {
      const page = await source.list(options);
      return { ...page, items: page.items.map(transform) };
    },
    async *watch(options) {
      for await (const event of source.watch(options)) {
        yield event.type === "BOOKMARK" ? event : { ...event, object: transform(event.object) };
      }
    },
  };
}
