// Allocation of cluster IPs and node ports to services. Source: Kubernetes documentation, "Service", "Choosing your own
// IP address" and "type: NodePort".

import { sameValue, unchanged } from "@orch/apis-model";
import {
  type AddressFamily,
  type AllocationContext,
  type AllocationKey,
  type FieldError,
  familyOf,
  field,
  internalError,
  type UniqueAllocations,
} from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";
import { type AddressRange, canonicalAddress } from "./address-range";
import type { ShownFields } from "./service-completion";
import { addressesOf, isHeadless, isOpen, isShutOff, needsHealthCheck } from "./service-kinds";

export interface ServiceRanges {
  /** One range, or two of different families. The first is the default family. */
  readonly addresses: readonly [AddressRange, AddressRange?];
  /** Range of node ports, both ends inclusive. */
  readonly nodePorts: { readonly first: number; readonly last: number };
}

const ADDRESSES = "ranges/serviceips";
const NODE_PORTS = "ranges/servicenodeports";

type Spec = { -readonly [Field in keyof coreV1.ServiceSpec]?: coreV1.ServiceSpec[Field] | undefined };
type Port = { -readonly [Field in keyof coreV1.ServicePort]?: coreV1.ServicePort[Field] | undefined };

/** Allocations that the service holds already. It keeps them when the ranges have changed. */
interface Having extends AllocationContext {
  readonly had: ReadonlySet<AllocationKey>;
}

const specOf = (service: JsonObject): Spec => (service["spec"] ?? {}) as Spec;

export function serviceAllocations(ranges: ServiceRanges, shown: ShownFields): UniqueAllocations {
  return {
    places: [ADDRESSES, NODE_PORTS],
    held: (service) => allocationsOf(specOf(service)),
    allocate(service, oldService, context) {
      const spec = specOf(service);
      const old = oldService && specOf(oldService);
      const having: Having = { ...context, had: new Set(old === undefined ? [] : allocationsOf(old)) };
      const errors = [
        ...(hasSettledAddresses(spec, old) ? [] : giveAddresses(spec, old, ranges.addresses, having)),
        ...(hasSettledPorts(spec, old) ? [] : giveNodePorts(spec, ranges, having)),
      ];
      if (errors.length === 0) giveHealthCheckPort(spec, ranges, having);
      hideOthers(spec, old, shown);
      return errors;
    },
    isOffered: (allocation) => isOffered(allocation, ranges),
    removedAlong({ metadata }) {
      const { namespace = "", name = "" } = metadata as { namespace?: string; name?: string };
      return [`core/endpoints/${namespace}/${name}`];
    },
  };
}

// Updates that change no address field allocate nothing, even when an address is missing.

const hasSettledAddresses = (spec: Spec, old: Spec | undefined): boolean =>
  old !== undefined && old.type !== "ExternalName" && ADDRESS_FIELDS.every((name) => unchanged(spec[name], old[name]));

const ADDRESS_FIELDS = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"] as const;

function hasSettledPorts(spec: Spec, old: Spec | undefined): boolean {
  if (old === undefined || spec.type !== old.type || isShutOff(spec) !== isShutOff(old)) return false;
  const numbers = ({ ports = [] }: Spec) =>
    ports.map(({ port, protocol = "TCP", nodePort = 0 }) => [port, protocol, nodePort]);
  return sameValue(numbers(spec), numbers(old));
}

/** Removes fields that the release does not have, unless the stored object has them. They are computed in any case. */
function hideOthers(spec: Spec, old: Spec | undefined, { families, addressList }: ShownFields): void {
  if (!families && old?.ipFamilies === undefined) {
    delete spec.ipFamilies;
    delete spec.ipFamilyPolicy;
  }
  if (!addressList && old?.clusterIPs === undefined) delete spec.clusterIPs;
}

function allocationsOf(spec: Spec): readonly AllocationKey[] {
  const given = addressesOf(spec).filter((each) => each !== "None");
  const ports = [...(spec.ports ?? []).map(({ nodePort = 0 }) => nodePort), spec.healthCheckNodePort ?? 0];
  return [
    ...(spec.type === "ExternalName" ? [] : given.map(addressKey)),
    ...new Set(ports.filter((port) => port !== 0).map(portKey)),
  ];
}

/** Subject of an allocation of a service. */
export type ServiceAllocation =
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "port"; readonly port: number };

export function serviceAllocationOf(allocation: AllocationKey): ServiceAllocation {
  return allocation.startsWith(`${NODE_PORTS}/`)
    ? { kind: "port", port: portOf(allocation) }
    : { kind: "address", address: allocation.slice(ADDRESSES.length + 1) };
}

function isOffered(allocation: AllocationKey, { addresses, nodePorts }: ServiceRanges): boolean {
  const on = serviceAllocationOf(allocation);
  switch (on.kind) {
    case "address":
      return addresses.some((range) => range?.positionOf(on.address) !== undefined);
    case "port":
      return nodePorts.first <= on.port && on.port <= nodePorts.last;
  }
}

const addressKey = (address: string): AllocationKey => `${ADDRESSES}/${canonicalAddress(address)}`;
const portKey = (port: number): AllocationKey => `${NODE_PORTS}/${port}`;

function giveAddresses(
  spec: Spec,
  old: Spec | undefined,
  ranges: ServiceRanges["addresses"],
  context: Having,
): readonly FieldError[] {
  if (spec.type === "ExternalName") return [];
  const errors = settleFamilies(spec, old, ranges);
  if (errors.length > 0 || isHeadless(spec)) return errors;
  const families = (spec.ipFamilies ?? []) as readonly AddressFamily[];
  const wanted = [...(spec.clusterIPs ?? [])];
  const refusals = wanted.flatMap((address) => refusalOf(address, ranges, context));
  if (refusals.length > 0) {
    return refusals.map((text) => field.invalid("spec.clusterIPs", spec.clusterIPs, text));
  }
  // A dry run reserves no address, because it could be taken before the actual request.
  if (context.dryRun) return [];
  for (let position = wanted.length; position < families.length; position += 1) {
    const range = ranges.find((each) => each?.family === families[position]);
    if (range !== undefined) wanted.push(nextAddress(range, context));
  }
  spec.clusterIPs = wanted;
  spec.clusterIP = wanted[0];
  return [];
}

function refusalOf(address: string, ranges: ServiceRanges["addresses"], { taken, had }: Having): readonly string[] {
  if (had.has(addressKey(address))) return [];
  const range = ranges.find((each) => each?.family === familyOf(address));
  const why =
    range?.positionOf(address) === undefined
      ? `provided IP is not in the valid range. The range of valid IPs is ${(range ?? ranges[0]).text}`
      : taken(addressKey(address))
        ? "provided IP is already allocated"
        : undefined;
  return why === undefined ? [] : [`failed to allocated ip:${address} with error:${why}`];
}

/**
 * Number of addresses at the start that are not allocated: the first is that of the API server and must be requested
 * explicitly.
 */
const RESERVED = 1;

function nextAddress(range: AddressRange, context: AllocationContext): string {
  const position = freePosition(range.size - RESERVED, context, (at) => addressKey(range.at(at + RESERVED)));
  if (position === undefined) throw internalError("failed to allocate a serviceIP: range is full");
  return range.at(position + RESERVED);
}

/** Finds a free position from a random start, so that concurrent writers rarely conflict. */
function freePosition(
  size: number,
  context: AllocationContext,
  keyAt: (position: number) => AllocationKey,
): number | undefined {
  const start = Math.floor(context.random() * size);
  for (let step = 0; step < size; step += 1) {
    const position = (start + step) % size;
    if (!context.taken(keyAt(position))) return position;
  }
  return undefined;
}

/** Makes policy, families and requested addresses consistent. @returns errors of what does not fit the ranges */
function settleFamilies(spec: Spec, old: Spec | undefined, ranges: ServiceRanges["addresses"]): readonly FieldError[] {
  const named = (spec.clusterIPs ?? []).filter((address) => address !== "None");
  const families = [...(spec.ipFamilies ?? [])] as AddressFamily[];
  named.forEach((address, position) => {
    families[position] ??= familyOf(address) ?? ranges[0].family;
  });
  const errors = familyErrors(spec, old, { families, named, ranges });
  if (errors.length > 0) return errors;
  const [first, second] = ranges;
  // A headless service without a selector may have endpoints of any family.
  const anyFamily = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??=
    families.length > 1 || (anyFamily && second !== undefined) ? "RequireDualStack" : "SingleStack";
  if (families.length === 0) families.push(first.family);
  const other = ranges.find((each) => each !== undefined && each.family !== families[0]);
  if (spec.ipFamilyPolicy !== "SingleStack" && families.length === 1 && other !== undefined)
    families.push(other.family);
  if (spec.ipFamilyPolicy === "SingleStack") families.length = 1;
  spec.ipFamilies = families;
  if (spec.ipFamilyPolicy === "SingleStack" && (spec.clusterIPs ?? []).length > 1) {
    spec.clusterIPs = (spec.clusterIPs ?? []).slice(0, 1);
  }
  return [];
}

function familyErrors(
  { ipFamilyPolicy: policy, ipFamilies = [] }: Spec,
  old: Spec | undefined,
  {
    families,
    named,
    ranges,
  }: {
    readonly families: readonly AddressFamily[];
    readonly named: readonly string[];
    readonly ranges: ServiceRanges["addresses"];
  },
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const configured = ranges.flatMap((each) => each?.family ?? []);
  const known = [...configured, ...(old?.ipFamilies ?? [])];
  const isSingle = policy === "SingleStack";
  const pairs = [
    ["clusterIPs", named.length],
    ["ipFamilies", ipFamilies.length],
  ] as const;
  for (const [what, count] of pairs) {
    if (count > 1 && isSingle) {
      const text = `must be RequireDualStack or PreferDualStack when multiple '${what}' are specified`;
      errors.push(field.invalid("spec.ipFamilyPolicy", policy, text));
    }
  }
  if (policy === "RequireDualStack" && policy !== old?.ipFamilyPolicy && configured.length < 2) {
    const text = "Cluster is not configured for dual stack services";
    errors.push(field.invalid("spec.ipFamilyPolicy", policy, text));
  }
  families.forEach((family, position) => {
    if (known.includes(family)) return;
    const isNamed = position < named.length && ipFamilies[position] === undefined;
    errors.push(
      isNamed
        ? field.invalid(
            `spec.clusterIPs[${position}]`,
            named[position],
            `may not use ${family} on a cluster which is not configured for it`,
          )
        : field.invalid(`spec.ipFamilies[${position}]`, family, `ipfamily ${family} is not configured on cluster`),
    );
  });
  return errors;
}

function giveNodePorts(spec: Spec, { nodePorts }: ServiceRanges, context: Having): readonly FieldError[] {
  if (!isOpen(spec)) return [];
  const ports = (spec.ports ?? []) as Port[];
  const errors = ports.flatMap(({ nodePort = 0 }, position) => {
    const why = nodePort === 0 ? undefined : portRefusal(nodePort, nodePorts, context);
    return why === undefined ? [] : [field.invalid(`spec.ports[${position}].nodePort`, nodePort, why)];
  });
  if (errors.length > 0 || isShutOff(spec)) return errors;
  const chosen = new Set(ports.map(({ nodePort = 0 }) => nodePort));
  const given = new Map<Port["port"], Port[]>();
  for (const port of ports) if (port.nodePort) note(given, port);
  for (const port of ports) {
    if (port.nodePort) continue;
    // Ports with the same number and different protocols share a node port.
    const twin = given.get(port.port)?.find((each) => each.protocol !== port.protocol);
    port.nodePort = twin?.nodePort ?? nextPort(nodePorts, context, chosen);
    chosen.add(port.nodePort);
    note(given, port);
  }
  return [];
}

/**
 * Notes at most two ports per number, of different protocols: a third port differs from one of them in its protocol.
 */
function note(given: Map<Port["port"], Port[]>, port: Port): void {
  const others = given.get(port.port);
  if (others === undefined) given.set(port.port, [port]);
  else if (others.length === 1 && others[0]?.protocol !== port.protocol) others.push(port);
}

function portRefusal(port: number, { first, last }: ServiceRanges["nodePorts"], { taken, had }: Having) {
  if (had.has(portKey(port))) return undefined;
  if (port < first || port > last) {
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  }
  return taken(portKey(port)) ? "provided port is already allocated" : undefined;
}

function nextPort(
  { first, last }: ServiceRanges["nodePorts"],
  context: AllocationContext,
  chosen: ReadonlySet<number>,
): number {
  const free = {
    ...context,
    taken: (allocation: AllocationKey) => context.taken(allocation) || chosen.has(portOf(allocation)),
  };
  const position = freePosition(last - first + 1, free, (at) => portKey(first + at));
  if (position === undefined) throw internalError("failed to allocate a nodePort: range is full");
  return first + position;
}

const portOf = (allocation: AllocationKey): number => Number(allocation.slice(NODE_PORTS.length + 1));

/** Allocates the port on which load balancers ask a node for local endpoints. */
function giveHealthCheckPort(spec: Spec, { nodePorts }: ServiceRanges, context: Having): void {
  if (!needsHealthCheck(spec)) return;
  const asked = spec.healthCheckNodePort ?? 0;
  if (asked === 0) {
    const chosen = new Set((spec.ports ?? []).map(({ nodePort = 0 }) => nodePort));
    spec.healthCheckNodePort = nextPort(nodePorts, context, chosen);
  } else {
    const why = portRefusal(asked, nodePorts, context);
    if (why !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${why}`);
  }
}
