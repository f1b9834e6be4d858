// Packs addresses and ports into subsets of Endpoints: all addresses with the same ports form one subset.
// Source: pkg/api/v1/endpoints/util.go.
import type { coreV1 } from "@orch/schema";
import { byDigest, compare, pointer } from "./digest-order";

/** One address with one port. */
export interface Offer {
  readonly address: coreV1.EndpointAddress;
  readonly isReady: boolean;
  /** Undefined: the service has no ports. */
  readonly port: coreV1.EndpointPort | undefined;
}

interface OfferedPort {
  readonly port: coreV1.EndpointPort | undefined;
  /** Readiness by the key of the address. */
  readonly addresses: Map<string, boolean>;
}

export function packedSubsets(offers: Iterable<Offer>): coreV1.EndpointSubset[] {
  const addresses = new Map<string, coreV1.EndpointAddress>();
  const ports = new Map<string, OfferedPort>();
  for (const { address, isReady, port } of offers) {
    const key = `${address.ip}|${address.targetRef?.uid ?? ""}`;
    if (!addresses.has(key)) addresses.set(key, address);
    const portKey = port === undefined ? "" : portText(port);
    const offered = ports.get(portKey) ?? { port, addresses: new Map<string, boolean>() };
    ports.set(portKey, offered);
    offered.addresses.set(key, isReady || offered.addresses.get(key) === true);
  }
  return [...byAddresses(ports.values())].map((group) => subsetOf(group, addresses)).sort(byDigest(subsetText));
}

/** Groups ports that the same addresses offer with the same readiness. */
function byAddresses(ports: Iterable<OfferedPort>): Iterable<readonly [OfferedPort, ...OfferedPort[]]> {
  const groups = new Map<string, [OfferedPort, ...OfferedPort[]]>();
  for (const offered of ports) {
    const key = JSON.stringify([...offered.addresses].sort(([one], [other]) => compare(one, other)));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [offered]);
    else group.push(offered);
  }
  return groups.values();
}

function subsetOf(
  group: readonly [OfferedPort, ...OfferedPort[]],
  known: ReadonlyMap<string, coreV1.EndpointAddress>,
): coreV1.EndpointSubset {
  const offered = [...group[0].addresses];
  const sorted = (isReady: boolean) =>
    offered
      .filter(([, ready]) => ready === isReady)
      .map(([key]) => known.get(key) as coreV1.EndpointAddress)
      .sort((one, other) => compare(one.ip, other.ip) || compare(one.targetRef?.uid ?? "", other.targetRef?.uid ?? ""));
  const [addresses, notReadyAddresses] = [sorted(true), sorted(false)];
  const ports = group.flatMap(({ port }) => (port === undefined ? [] : [port])).sort(byDigest(portText));
  return {
    ...(addresses.length > 0 ? { addresses } : {}),
    ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
}

const listOf = (type: string, texts: readonly string[] | undefined): string =>
  `([]v1.${type})${texts === undefined ? "<nil>" : `[${texts.join(" ")}]`}`;

const portMembers = ({ name = "", port, protocol = "TCP", appProtocol }: coreV1.EndpointPort): string =>
  `{Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol} AppProtocol:${pointer("string", appProtocol)}}`;

const portText = (port: coreV1.EndpointPort): string => `(v1.EndpointPort)${portMembers(port)}`;

function addressMembers({ ip, hostname = "", nodeName, targetRef }: coreV1.EndpointAddress): string {
  return `{IP:(string)${ip} Hostname:(string)${hostname} NodeName:${pointer("string", nodeName)} TargetRef:${pointer(
    "v1.ObjectReference",
    targetRef && referenceMembers(targetRef),
  )}}`;
}

function referenceMembers(reference: coreV1.ObjectReference): string {
  const { kind = "", namespace = "", name = "", uid = "", apiVersion = "", resourceVersion = "" } = reference;
  const { fieldPath = "" } = reference;
  return `{Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}}`;
}

function subsetText({ addresses, notReadyAddresses, ports }: coreV1.EndpointSubset): string {
  return `(v1.EndpointSubset){Addresses:${listOf("EndpointAddress", addresses?.map(addressMembers))} NotReadyAddresses:${listOf(
    "EndpointAddress",
    notReadyAddresses?.map(addressMembers),
  )} Ports:${listOf("EndpointPort", ports?.map(portMembers))}}`;
}
