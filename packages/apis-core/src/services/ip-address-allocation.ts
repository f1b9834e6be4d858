// IPAddress objects as the companions of cluster IPs, and the addresses that clients reserve with IPAddress objects of
// their own. The allocation key of the address is the lock between both, and with replicas of releases that have no
// IPAddress objects. Source: Kubernetes KEP-1880; pkg/registry/core/service/ipallocator/ipallocator.go.

import {
  type AddressFamily,
  type AllocationCompanions,
  type AllocationKey,
  alreadyExists,
  familyOf,
  metaOf,
  nameOf,
  type UniqueAllocations,
} from "@orch/machinery";
import type { JsonObject, networkingV1, Vocabulary } from "@orch/schema";
import { ADDRESSES, addressIn, addressKey } from "./service-keys";

/** Returns the IPAddress of a service's address, as it is created. */
export function ipAddressOf(
  address: string,
  service: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  vocabulary: Vocabulary,
): JsonObject {
  const { labels, groups } = vocabulary;
  const { namespace = "", name = "" } = service;
  return {
    kind: "IPAddress",
    apiVersion: `${groups.networking}/v1`,
    metadata: {
      name: address,
      labels: {
        [labels.ipaddressIpFamily]: familyOf(address) ?? "IPv4",
        [labels.ipaddressManagedBy]: vocabulary.labelValues.ipallocator,
      },
    },
    spec: { parentRef: { resource: "services", namespace, name } },
  };
}

/** Returns whether the allocator created an IPAddress. */
export function isAllocatorAddress(object: JsonObject, vocabulary: Vocabulary): boolean {
  return metaOf(object).labels?.[vocabulary.labels.ipaddressManagedBy] === vocabulary.labelValues.ipallocator;
}

/** Returns the service that an IPAddress refers to; undefined when it refers to another object. */
export function parentService(object: JsonObject): { readonly namespace: string; readonly name: string } | undefined {
  const { parentRef } = (object["spec"] ?? {}) as networkingV1.IPAddressSpec;
  if (!parentRef || parentRef.group || parentRef.resource !== "services") return undefined;
  const { namespace = "", name = "" } = parentRef;
  return { namespace, name };
}

export function ipAddressCompanions(vocabulary: Vocabulary): AllocationCompanions {
  const modelOf = (family: AddressFamily): JsonObject => {
    const model = ipAddressOf("{0}", { namespace: "{1}", name: "{2}" }, vocabulary);
    const { labels = {} } = metaOf(model);
    const own = { ...labels, [vocabulary.labels.ipaddressIpFamily]: family };
    return { ...model, metadata: { name: "{0}", labels: own } };
  };
  const models = { IPv4: modelOf("IPv4"), IPv6: modelOf("IPv6") };
  return {
    resource: { group: vocabulary.groups.networking, resource: "ipaddresses" },
    nameOf: addressIn,
    of(allocation, service) {
      const address = addressIn(allocation);
      if (address === undefined) return undefined;
      const { namespace = "", name = "" } = metaOf(service);
      return { name: address, model: models[familyOf(address) ?? "IPv4"], values: [address, namespace, name] };
    },
    isCompanion: (object) => isAllocatorAddress(object, vocabulary),
    belongsTo(object, service) {
      const { namespace = "", name = "" } = metaOf(service);
      const parent = parentService(object);
      return parent?.namespace === namespace && parent.name === name;
    },
  };
}

/** Allocations of IPAddress objects themselves: an address is either a service's or reserved by a client. */
export function ipAddressAllocations(vocabulary: Vocabulary): UniqueAllocations {
  const resource = { group: vocabulary.groups.networking, resource: "ipaddresses" };
  const keyOf = (object: JsonObject): AllocationKey => addressKey(nameOf(object));
  return {
    places: [ADDRESSES],
    held: (object) => (isAllocatorAddress(object, vocabulary) ? [] : [keyOf(object)]),
    holderBehind(object) {
      const parent = parentService(object);
      return parent && `core/services/${parent.namespace}/${parent.name}`;
    },
    allocate(next, old, { taken, holder }) {
      if (old !== undefined) return [];
      const key = keyOf(next);
      const parent = parentService(next);
      const isOfParent = parent !== undefined && holder(key) === `core/services/${parent.namespace}/${parent.name}`;
      if (taken(key) && !isOfParent) throw alreadyExists(resource, nameOf(next));
      return [];
    },
  };
}
