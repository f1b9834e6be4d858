// Allocation of cluster IPs and node ports to services. Source: Kubernetes documentation, "Service", "Choosing your own
// IP address" and "type: NodePort".

import { sameValue, unchanged } from "@orch/apis-model";
import {
  type AllocationContext,
  type AllocationKey,
  type FieldError,
  field,
  internalError,
  nameOf,
  type UniqueAllocations,
} from "@orch/machinery";
import type { coreV1, JsonObject, Vocabulary } from "@orch/schema";
import type { AddressRange } from "./address-range";
import { giveAddresses } from "./cluster-ip-allocation";
import { freePosition } from "./free-position";
import { ipAddressCompanions } from "./ip-address-allocation";
import { serviceCidrRanges, serviceCidrResource } from "./service-cidr-ranges";
import type { ShownFields } from "./service-completion";
import { ADDRESSES, addressKey, NODE_PORTS, portIn, portKey, serviceAllocationOf } from "./service-keys";
import { addressesOf, isOpen, isShutOff, needsHealthCheck } from "./service-kinds";
import type { Having, ServiceRanges } from "./service-ranges";

type Spec = { -readonly [Field in keyof coreV1.ServiceSpec]?: coreV1.ServiceSpec[Field] | undefined };
type Port = { -readonly [Field in keyof coreV1.ServicePort]?: coreV1.ServicePort[Field] | undefined };

export interface ServiceAllocationRules {
  readonly ranges: ServiceRanges;
  readonly shown: ShownFields;
  /** The names of the kinds when addresses come from ServiceCIDRs. Absent: they come from the ranges alone. */
  readonly serviceCidrs: Vocabulary | undefined;
}

const specOf = (service: JsonObject): Spec => (service["spec"] ?? {}) as Spec;

export function serviceAllocations({ ranges, shown, serviceCidrs }: ServiceAllocationRules): UniqueAllocations {
  const cidrsIn = ({ objects }: Pick<AllocationContext, "objects">) =>
    serviceCidrs && serviceCidrRanges({ objects }, serviceCidrs, ranges.addresses);
  return {
    places: [ADDRESSES, NODE_PORTS],
    held: (service) => allocationsOf(specOf(service)),
    allocate(service, oldService, context) {
      const spec = specOf(service);
      const old = oldService && specOf(oldService);
      const having: Having = { ...context, had: new Set(old === undefined ? [] : allocationsOf(old)) };
      const errors = [
        ...(hasSettledAddresses(spec, old)
          ? []
          : giveAddresses(
              spec,
              old,
              { ranges: ranges.addresses, cidrs: cidrsIn(context), name: nameOf(service) },
              having,
            )),
        ...(hasSettledPorts(spec, old) ? [] : giveNodePorts(spec, ranges, having)),
      ];
      if (errors.length === 0) giveHealthCheckPort(spec, ranges, having);
      hideOthers(spec, old, shown);
      return errors;
    },
    isOffered: (allocation, world) =>
      isOffered(allocation, { ...ranges, addresses: cidrsIn(world)?.all ?? ranges.addresses }),
    ...(serviceCidrs && {
      reads: [serviceCidrResource(serviceCidrs)],
      companions: ipAddressCompanions(serviceCidrs),
    }),
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

function isOffered(
  allocation: AllocationKey,
  {
    addresses,
    nodePorts,
  }: Pick<ServiceRanges, "nodePorts"> & {
    readonly addresses: readonly (AddressRange | undefined)[];
  },
): boolean {
  const on = serviceAllocationOf(allocation);
  switch (on.kind) {
    case "address":
      return addresses.some((range) => range?.contains(on.address) === true);
    case "port":
      return nodePorts.first <= on.port && on.port <= nodePorts.last;
  }
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

function portRefusal(port: number, ports: ServiceRanges["nodePorts"], context: Having): string | undefined {
  if (context.had.has(portKey(port))) return undefined;
  const refusal = reasonAgainst(port, ports, context);
  notePort(context, ports, { isRequested: true, succeeded: refusal === undefined });
  return refusal;
}

function notePort(
  { attempted }: AllocationContext,
  { first, last }: ServiceRanges["nodePorts"],
  attempt: { readonly isRequested: boolean; readonly succeeded: boolean },
): void {
  attempted?.({ range: undefined, size: last - first + 1, ...attempt, seconds: 0 });
}

function reasonAgainst(port: number, { first, last }: ServiceRanges["nodePorts"], { taken }: AllocationContext) {
  if (port < first || port > last) {
    return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
  }
  return taken(portKey(port)) ? "provided port is already allocated" : undefined;
}

function nextPort(ports: ServiceRanges["nodePorts"], context: AllocationContext, chosen: ReadonlySet<number>): number {
  const { first, last } = ports;
  const free = {
    ...context,
    taken: (allocation: AllocationKey) => context.taken(allocation) || chosen.has(portIn(allocation)),
  };
  const position = freePosition(last - first + 1, free, (at) => portKey(first + at));
  notePort(context, ports, { isRequested: false, succeeded: position !== undefined });
  if (position === undefined) throw internalError("failed to allocate a nodePort: range is full");
  return first + position;
}

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
