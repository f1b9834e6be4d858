// Address and port ranges of services: `--service-cluster-ip-range`, `--service-node-port-range`. Source: Kubernetes
// documentation, "kube-apiserver"; cmd/kube-apiserver/app/options/validation.go.
import { AddressRange, type ServiceRanges } from "@orch/apis";
import type { FeatureGates } from "../flags/feature-gates";

/**
 * Parses the ranges.
 * @param gates with both, an IPv4 range may be larger than a /12: a service reserves an address by an IPAddress object
 * alone
 * @returns the ranges, or one line per error
 */
export function serviceRanges(
  { blocks, ports }: { readonly blocks: readonly string[]; readonly ports: string },
  gates: Pick<FeatureGates, "MultiCIDRServiceAllocator" | "DisableAllocatorDualWrite">,
): ServiceRanges | { readonly errors: readonly string[] } {
  const errors: string[] = [];
  const isBounded = !(gates.MultiCIDRServiceAllocator && gates.DisableAllocatorDualWrite);
  const addresses = blocks.flatMap((text) => {
    const range = AddressRange.parse(text, { isBounded });
    if (typeof range !== "string") return [range];
    errors.push(`--service-cluster-ip-range: ${range}`);
    return [];
  });
  const [first, second, ...others] = addresses;
  if (others.length > 0) errors.push("--service-cluster-ip-range: must have at most two CIDR blocks");
  if (second !== undefined && second.family === first?.family) {
    errors.push("--service-cluster-ip-range: two CIDR blocks must be of different IP families");
  }
  const nodePorts = portRange(ports);
  if (nodePorts === undefined)
    errors.push(
      `--service-node-port-range: ${ports} is not a range of ports; use first-last, first+count, or one port`,
    );
  if (errors.length > 0 || first === undefined || nodePorts === undefined) {
    return { errors: errors.length > 0 ? errors : ["--service-cluster-ip-range: must have at least one CIDR block"] };
  }
  return { addresses: second === undefined ? [first] : [first, second], nodePorts };
}

const PORT_MAX = 65_535;

/** Parses `30000-32767`, both included; `30000+2767`, an offset; or a single port. */
function portRange(text: string): ServiceRanges["nodePorts"] | undefined {
  const parts = /^(\d+)(?:([-+])(\d+))?$/.exec(text);
  if (parts === null) return undefined;
  const first = Number(parts[1]);
  const second = Number(parts[3] ?? first);
  const last = parts[2] === "+" ? first + second : second;
  return first >= 1 && first <= last && last <= PORT_MAX ? { first, last } : undefined;
}
