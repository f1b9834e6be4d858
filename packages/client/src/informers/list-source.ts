// What an informer needs of a server: the lists and watches of one resource, already narrowed to a namespace or by selectors.
import type { ListOptions, SelectionOptions, WatchOptions } from "../requests/options";
import type { List, ResourceClient } from "../requests/resource-client";
import type { WatchEvent } from "../requests/watch-events";

export type { List } from "../requests/resource-client";

export interface ListSource<T extends object> {
  list(options: ListOptions): Promise<List<T>>;
  watch(options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

export function selected<T extends object>(client: ResourceClient<T>, selection: SelectionOptions): ListSource<T> {
  return {
    list: (options) => client.list({ ...selection, ...options }),
    watch: (options) => client.watch({ ...selection, ...options }),
  };
}
