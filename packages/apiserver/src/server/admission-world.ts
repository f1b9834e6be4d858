// What admission plugins see of the cluster.
import type { AdmissionWorld, NamespaceState } from "@orch/admission";
import { ANY, isBeingDeleted, MOST_RECENT, StatusError } from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";

/** @param storages looked at when asked, for the chain is made before they are */
export function admissionWorld(
  vocabulary: Vocabulary,
  storages: () => { readonly namespaces: ResourceStorage; readonly namespaced: readonly ResourceStorage[] },
): AdmissionWorld {
  const states = new WeakMap<Entry, NamespaceState>();

  function stateOf(entry: Entry): NamespaceState {
    let state = states.get(entry);
    if (state === undefined) {
      state = { terminating: isBeingDeleted(entry.object()) };
      states.set(entry, state);
    }
    return state;
  }

  return {
    vocabulary,
    namespace(name) {
      const { namespaces } = storages();
      const cached = namespaces.peek({ namespace: "", name });
      return cached === undefined ? askStore(namespaces, name) : stateOf(cached);
    },
    async namespaceIsEmpty(name) {
      for (const storage of storages().namespaced) {
        const { entries } = await storage.list({ namespace: name, read: ANY, selection: {}, limit: 1 });
        if (entries.length > 0) return false;
      }
      return true;
    },
  };

  async function askStore(namespaces: ResourceStorage, name: string): Promise<NamespaceState | undefined> {
    try {
      return stateOf(await namespaces.get({ namespace: "", name }, MOST_RECENT));
    } catch (error) {
      if (error instanceof StatusError && error.reason === "NotFound") return undefined;
      throw error;
    }
  }
}
