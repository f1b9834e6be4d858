// Differences between the cluster IPs of services and the IPAddress objects of the allocator. Source:
// pkg/registry/core/service/ipallocator/controller/repairip.go, `syncService`, `syncIPAddress`.
import { isAllocatorAddress, parentService } from "@orch/apis";
import { canonicalAddress, familyOf, metaOf } from "@orch/machinery";
import type { coreV1, JsonObject, Vocabulary } from "@orch/schema";

/** Reads the present objects. */
export interface PresentState {
  service(key: { readonly namespace: string; readonly name: string }): JsonObject | undefined;
  ipAddress(name: string): JsonObject | undefined;
  readonly vocabulary: Vocabulary;
}

export interface FindingEvent {
  readonly reason: string;
  readonly message: string;
}

export type ServiceFinding =
  | { readonly kind: "create"; readonly event: FindingEvent }
  /** The IPAddress must be replaced. */
  | { readonly kind: "recreate"; readonly event: FindingEvent | undefined }
  /** Another service has the address, too: only a person can decide. */
  | { readonly kind: "report"; readonly event: FindingEvent };

/** Returns the canonical cluster IPs of a service. */
export function clusterIpsOf(service: JsonObject): readonly string[] {
  const { type, clusterIP, clusterIPs = [] } = (service["spec"] ?? {}) as coreV1.ServiceSpec;
  if (type === "ExternalName") return [];
  const listed = clusterIPs.length > 0 ? clusterIPs : [clusterIP ?? ""];
  return listed.filter((address) => address !== "" && address !== "None").map(canonicalAddress);
}

/** Compares an address of a service with its IPAddress. @returns undefined when both agree */
export function findingOfService(
  state: PresentState,
  service: JsonObject,
  address: string,
): ServiceFinding | undefined {
  const { namespace = "", name = "" } = metaOf(service);
  const family = familyOf(address);
  const found = state.ipAddress(address);
  if (found === undefined) {
    const message = `Cluster IP [${family}]: ${address} is not allocated; repairing`;
    return { kind: "create", event: { reason: "ClusterIPNotAllocated", message } };
  }
  const parent = parentService(found);
  if (parent?.namespace === namespace && parent.name === name) {
    return hasLabels(found, address, state.vocabulary) ? undefined : { kind: "recreate", event: undefined };
  }
  const other = parent && state.service(parent);
  if (other !== undefined && clusterIpsOf(other).includes(address)) {
    const message = `Cluster IP [${family}]:${address} was assigned to multiple services; please recreate service`;
    return { kind: "report", event: { reason: "ClusterIPAlreadyAllocated", message } };
  }
  const message = `the ClusterIP [${family}]: ${address} for Service ${namespace}/${name} has a wrong reference; repairing`;
  return { kind: "recreate", event: { reason: "ClusterIPNotAllocated", message } };
}

function hasLabels(found: JsonObject, address: string, vocabulary: Vocabulary): boolean {
  const family = metaOf(found).labels?.[vocabulary.labels.ipaddressIpFamily];
  return isAllocatorAddress(found, vocabulary) && family === familyOf(address);
}

/**
 * Age of an IPAddress that no service uses, before it is removed. A service and its IPAddresses are written in one
 * transaction, so no creation in progress needs to be waited for, except that of a client that creates both.
 */
const SETTLED_MS = 5_000;

export type AddressFinding =
  | { readonly kind: "delete"; readonly event: FindingEvent }
  | { readonly kind: "wait"; readonly ms: number };

/** Checks an IPAddress of the allocator. @returns undefined when a service uses it, or another component made it */
export function findingOfAddress(state: PresentState, found: JsonObject, nowMs: number): AddressFinding | undefined {
  if (!isAllocatorAddress(found, state.vocabulary)) return undefined;
  const { name = "", creationTimestamp } = metaOf(found);
  const parent = parentService(found);
  const notAllocated = (message: string): AddressFinding => ({
    kind: "delete",
    event: { reason: "IPAddressNotAllocated", message },
  });
  if (parent === undefined)
    return notAllocated(`IPAddress ${name} appears to have been modified, not referencing a Service: cleaning up`);
  const ageMs = nowMs - Date.parse(String(creationTimestamp ?? ""));
  const of = `${parent.namespace}/${parent.name}`;
  const service = state.service(parent);
  if (service === undefined) {
    if (ageMs < SETTLED_MS) return { kind: "wait", ms: SETTLED_MS };
    return notAllocated(`IPAddress: ${name} for Service ${of} appears to have leaked: cleaning up`);
  }
  if (clusterIpsOf(service).includes(name)) return undefined;
  if (ageMs < SETTLED_MS) return { kind: "wait", ms: SETTLED_MS };
  const message = `IPAddress: ${name} for Service ${of} has a wrong reference; cleaning up`;
  return { kind: "delete", event: { reason: "IPAddressWrongReference", message } };
}
