// Opens a store of any kind. A driver and its libraries are loaded only when it is the one asked for.

import type { Store } from "./contract";
import { LocalStore } from "./local/local-store";

export type StoreOptions =
  /** Ends with the process: for tests. */
  { readonly kind: "memory" };

/**
 * @returns a store that is ready for calls
 * @throws StoreError when it cannot be opened
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  switch (options.kind) {
    case "memory":
      return new LocalStore();
  }
}
