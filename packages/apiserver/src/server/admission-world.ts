// What admission plugins see of the cluster.
import type { AdmissionWorld, NamespaceReader, NamespaceState, RoleReader } from "@orch/admission";
import type { Authorizer, RbacGrants } from "@orch/auth";
import { isBeingDeleted, MOST_RECENT, StatusError } from "@orch/machinery";
import type { Entry, ResourceStorage } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { RbacStorages } from "./bootstrap-objects";

/** Looked at when asked, for the chain is made before they are. */
export interface WorldParts {
  readonly namespaces: ResourceStorage;
  readonly rbac: RbacStorages;
  readonly grants: RbacGrants;
  readonly authorizer: Authorizer;
}

export function admissionWorld(vocabulary: Vocabulary, parts: () => WorldParts): AdmissionWorld {
  return {
    vocabulary,
    namespaces: namespaceReader(() => parts().namespaces),
    roles: roleReader(parts),
    authorizer: { authorize: (attributes) => parts().authorizer.authorize(attributes) },
  };
}

function namespaceReader(namespaces: () => ResourceStorage): NamespaceReader {
  const states = new WeakMap<Entry, NamespaceState>();

  function stateOf(entry: Entry): NamespaceState {
    let state = states.get(entry);
    if (state === undefined) {
      state = { terminating: isBeingDeleted(entry.object()), revision: entry.resourceVersion };
      states.set(entry, state);
    }
    return state;
  }

  async function inStore(name: string): Promise<NamespaceState | undefined> {
    try {
      return stateOf(await namespaces().get({ namespace: "", name }, MOST_RECENT));
    } catch (error) {
      if (error instanceof StatusError && error.reason === "NotFound") return undefined;
      throw error;
    }
  }

  return {
    get(name) {
      const cached = namespaces().peek({ namespace: "", name });
      const state = cached && stateOf(cached);
      return state === undefined || state.terminating ? inStore(name) : state;
    },
    inStore,
  };
}

function roleReader(parts: () => WorldParts): RoleReader {
  return {
    async role(kind, namespace, name) {
      const { roles, clusterRoles } = parts().rbac;
      const [storage, at] = kind === "Role" ? [roles, namespace] : [clusterRoles, ""];
      return (await storage.get({ namespace: at, name }, MOST_RECENT)).inHub();
    },
    heldBy: (user, namespace) => parts().grants.heldBy(user, namespace),
  };
}
