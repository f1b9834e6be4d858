// The view of the cluster that admission plugins get.
import type { AdmissionDependencies, NamespaceReader, NamespaceState, RoleReader } from "@orch/admission";
import type { Authorizer } from "@orch/auth";
import { isReason, MOST_RECENT } from "@orch/machinery";
import { type EndSignal, systemClock } from "@orch/platform";
import { type Entry, pooledRandomness, type ResourceStorage } from "@orch/registry";
import type { RbacStorages } from "@orch/served-resources";

/** Authorization decisions and granted roles. */
export interface AccessReaders {
  readonly grants: Pick<RoleReader, "heldBy">;
  readonly authorizer: Pick<Authorizer, "authorize">;
}

interface ReadStorages {
  readonly namespaces: ResourceStorage;
  readonly rbac: RbacStorages;
}

export interface AdmissionDependenciesParts
  extends Pick<
    AdmissionDependencies,
    | "vocabulary"
    | "release"
    | "options"
    | "objects"
    | "kinds"
    | "allowances"
    | "writer"
    | "podSecurity"
    | "yielder"
    | "webhooks"
    | "webhookObserver"
    | "policyObserver"
    | "conversion"
    | "valuesHere"
    | "remotes"
    | "yielder"
  > {
  /** Both are functions because the admission chain is built before the values exist. */
  readonly storages: () => ReadStorages;
  readonly access: () => AccessReaders;
}

export function admissionDependencies({
  storages,
  access,
  ...parts
}: AdmissionDependenciesParts): AdmissionDependencies {
  return {
    ...parts,
    clock: systemClock,
    randomness: pooledRandomness(),
    pauses: { wait: waitFor },
    namespaces: namespaceReader(() => storages().namespaces),
    roles: roleReader(() => storages().rbac, access),
    authorizer: { authorize: (attributes) => access().authorizer.authorize(attributes) },
  };
}

function waitFor(ms: number, signal: EndSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, signal.aborted ? 0 : ms).unref();
    signal.addEventListener("abort", end);
  });
}

function namespaceReader(namespaces: () => ResourceStorage): NamespaceReader {
  const states = new WeakMap<Entry, NamespaceState>();

  function stateOf(entry: Entry): NamespaceState {
    let state = states.get(entry);
    if (state === undefined) {
      state = { terminating: entry.metadata("deletionTimestamp") !== undefined, revision: entry.resourceVersion };
      states.set(entry, state);
    }
    return state;
  }

  async function inStore(name: string): Promise<NamespaceState | undefined> {
    try {
      return stateOf(await namespaces().get({ namespace: "", name }, MOST_RECENT));
    } catch (error) {
      if (isReason(error, "NotFound")) return undefined;
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

function roleReader(rbac: () => RbacStorages, access: () => AccessReaders): RoleReader {
  return {
    async role(kind, namespace, name) {
      const { roles, clusterRoles } = rbac();
      const [storage, at] = kind === "Role" ? [roles, namespace] : [clusterRoles, ""];
      return (await storage.get({ namespace: at, name }, MOST_RECENT)).inHub();
    },
    heldBy: (user, namespace) => access().grants.heldBy(user, namespace),
  };
}
