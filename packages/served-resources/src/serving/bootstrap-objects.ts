// Bootstrap objects of every cluster: namespaces, roles and bindings, priority classes. Any number of replicas run this
// concurrently; each step keeps what another replica or an operator has done. Source:
// plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go, pkg/registry/rbac/rest/storage_rbac.go.
import { isDeletionProtected } from "@orch/admission";
import { systemNamespaces, systemPriorityClasses } from "@orch/apis";
import { type BindingChange, bootstrapPolicy, reconcileBinding, reconcileRole } from "@orch/auth";
import { copyJson, isReason } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { carryOverEarlierPolicy } from "./earlier-policy";
import { serverWrite } from "./own-identity";
import { canonical, createUnlessPresent, keyOf } from "./own-objects";

export interface RbacStorages {
  readonly clusterRoles: ResourceStorage;
  readonly clusterRoleBindings: ResourceStorage;
  readonly roles: ResourceStorage;
  readonly roleBindings: ResourceStorage;
}

export function makeSystemNamespaces(namespaces: ResourceStorage, vocabulary: Vocabulary): Promise<void> {
  const wanted = systemNamespaces(vocabulary).map((name) => ({
    kind: "Namespace",
    apiVersion: "v1",
    metadata: { name },
  }));
  return makeMissing(namespaces, wanted, vocabulary);
}

export function makePriorityClasses(priorityClasses: ResourceStorage, vocabulary: Vocabulary): Promise<void> {
  return makeMissing(priorityClasses, systemPriorityClasses(vocabulary), vocabulary);
}

async function makeMissing(
  storage: ResourceStorage,
  wanted: readonly JsonObject[],
  vocabulary: Vocabulary,
): Promise<void> {
  await Promise.all(
    wanted.map(async (object) => {
      if (storage.peek(keyOf(object)) === undefined)
        await storage.seed(canonical(storage, object), serverWrite(storage, vocabulary));
    }),
  );
}

export async function makeBootstrapPolicy(
  storages: RbacStorages,
  vocabulary: Vocabulary,
  release: string,
  gates: Readonly<Record<string, boolean>>,
): Promise<void> {
  await carryOverEarlierPolicy(storages, vocabulary);
  const policy = bootstrapPolicy(vocabulary, release, gates);
  const role = (existing: JsonObject, wanted: JsonObject): BindingChange => {
    const object = reconcileRole(existing, wanted, vocabulary);
    return object === undefined ? { kind: "keep" } : { kind: "update", object };
  };
  const binding = (existing: JsonObject, wanted: JsonObject) => reconcileBinding(existing, wanted, vocabulary);
  await Promise.all(
    (["clusterRoles", "clusterRoleBindings", "roles", "roleBindings"] as const).flatMap((name) => {
      const change = name === "roles" || name === "clusterRoles" ? role : binding;
      return policy[name].map((wanted) => reconcile(storages[name], wanted, change, vocabulary));
    }),
  );
}

type Change = (existing: JsonObject, wanted: JsonObject) => BindingChange;

/** Number of attempts, because another replica may change the object meanwhile. */
const TRIES = 5;

async function reconcile(
  storage: ResourceStorage,
  wanted: JsonObject,
  change: Change,
  vocabulary: Vocabulary,
): Promise<void> {
  const key = keyOf(wanted);
  for (let tries = 1; ; tries += 1) {
    try {
      const existing = storage.peek(key) ?? (await storage.seed(wanted, serverWrite(storage, vocabulary)));
      if (existing === undefined) return;
      const decided = change(existing.object(), wanted);
      if (decided.kind === "keep") return;
      if (decided.kind === "replace") await storage.delete(key, {}, serverWrite(storage, vocabulary));
      if (decided.kind === "replace") await createUnlessPresent(storage, decided.object, vocabulary);
      else await storage.update(copyJson(decided.object), key, serverWrite(storage, vocabulary));
      return;
    } catch (error) {
      // The object is protected against deletion: it stays unchanged, and the start continues.
      if (isDeletionProtected(error)) return;
      const again = isReason(error, "Conflict") || isReason(error, "NotFound");
      if (!again || tries === TRIES) throw error;
    }
  }
}
