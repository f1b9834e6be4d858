// What admission plugins see of the cluster.
import type { AdmissionWorld, NamespaceState } from "@orch/admission";
import { isBeingDeleted, MOST_RECENT, StatusError } from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";

/** @param storages looked at when asked, for the chain is made before they are */
export function admissionWorld(
  vocabulary: Vocabulary,
  storages: () => { readonly namespaces: ResourceStorage },
): AdmissionWorld {
  const states = new WeakMap<Entry, NamespaceState>();

  function stateOf(entry: Entry): NamespaceState {
    let state = states.get(entry);
    if (state === undefined) {
      state = { terminating: isBeingDeleted(entry.object()), revision: entry.resourceVersion };
      states.set(entry, state);
    }
    return state;
  }

  return {
    vocabulary,
    namespace(name) {
      const { namespaces } = storages();
      const cached = namespaces.peek({ namespace: "", name });
      const state = cached && stateOf(cached);
      return state === undefined || state.terminating ? askStore(namespaces, name) : state;
    },
    namespaceInStore: (name) => askStore(storages().namespaces, name),
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
