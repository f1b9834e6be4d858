// ComponentStatus objects: the health of the control plane's parts. Source: pkg/registry/core/componentstatus/rest.go.
import { isReason, MOST_RECENT, metaOf, type ResourceDefinition, unclassified } from "@orch/machinery";
import { computedStorage, type ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { Store } from "@orch/store";

export interface ComponentParts {
  readonly vocabulary: Vocabulary;
  readonly stores: readonly Pick<Store, "endpoints">[];
  /** Time limit of each store request. */
  readonly timeoutMs: number;
  /** Leases of leader election; undefined in releases without Leases. */
  readonly leases: ResourceStorage | undefined;
  readonly now: () => number;
}

export function componentStatuses(definition: ResourceDefinition, parts: ComponentParts): ResourceStorage {
  return computedStorage(
    definition,
    async () => {
      const all = await Promise.all([...storeStatuses(parts), ...programStatuses(parts)]);
      return all.filter((status) => status !== undefined).sort(byName);
    },
    (name) => unclassified(`Component not found: ${name}`),
  );
}

function storeStatuses({ stores, timeoutMs }: ComponentParts): readonly Promise<JsonObject>[] {
  return stores
    .flatMap(({ endpoints }) => endpoints)
    .map(async (endpoint, index) => {
      const fault = await endpoint.status({ timeoutMs }).then(
        ({ alarms }) => alarms.join(", "),
        (error: Error) => error.message,
      );
      return statusOf(`etcd-${index}`, fault);
    });
}

/** Programs with leader election. A program that has never led is not part of this control plane. */
function programStatuses({ vocabulary, leases, now }: ComponentParts): readonly Promise<JsonObject | undefined>[] {
  const { programs, namespaces } = vocabulary;
  const led = [
    ["controller-manager", programs.controllerManager],
    ["scheduler", programs.scheduler],
  ] as const;
  return led.map(async ([component, name]) => {
    const lease = leases && (await leaseIfAny(leases, { namespace: namespaces.system, name }));
    return lease && statusOf(component, leaseFault(lease, now()));
  });
}

/** The members of a Lease that a leader writes. */
interface LeaseView {
  readonly spec?: {
    readonly holderIdentity?: string;
    /** RFC 3339. */
    readonly renewTime?: string;
    readonly leaseDurationSeconds?: number;
  };
}

async function leaseIfAny(
  leases: ResourceStorage,
  key: { readonly namespace: string; readonly name: string },
): Promise<LeaseView | undefined> {
  try {
    return (await leases.get(key, MOST_RECENT)).whole() as LeaseView;
  } catch (error) {
    if (isReason(error, "NotFound")) return undefined;
    throw error;
  }
}

/** @returns "" when the holder renews the lease */
function leaseFault({ spec = {} }: LeaseView, nowMs: number): string {
  const { holderIdentity = "", renewTime = "", leaseDurationSeconds = 0 } = spec;
  if (holderIdentity === "") return "no leader is elected";
  const isRenewed = Date.parse(renewTime) + leaseDurationSeconds * 1000 >= nowMs;
  return isRenewed ? "" : `${holderIdentity} has not renewed its lease since ${renewTime}`;
}

const nameOf = (status: JsonObject) => metaOf(status).name ?? "";
const byName = (a: JsonObject, b: JsonObject) => (nameOf(a) < nameOf(b) ? -1 : 1);

/** @param fault "" for a healthy component */
const statusOf = (name: string, fault: string): JsonObject => ({
  metadata: { name, creationTimestamp: null },
  conditions: [
    fault === ""
      ? { type: "Healthy", status: "True", message: "ok" }
      : { type: "Healthy", status: "False", message: fault },
  ],
});
