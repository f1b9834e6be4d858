// Host names and addresses for the serving certificate.
import { hostname, networkInterfaces } from "node:os";
import { isLoopback } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";

export interface ServingAddresses {
  readonly vocabulary: Vocabulary;
  readonly bindAddress: string;
  readonly advertiseAddress: string;
  readonly externalHostname: string;
}

export function servingNames(of: ServingAddresses): readonly string[] {
  const names = [
    "127.0.0.1",
    "::1",
    "localhost",
    hostname(),
    ...Object.values(of.vocabulary.dnsNames),
    advertisedAddress(of),
    of.externalHostname,
  ];
  return [...new Set(names.filter((name) => name !== "" && !isUnspecified(name)))];
}

/**
 * Returns the address in URLs of this server: the configured one, else the listening address, else the first
 * non-loopback one.
 */
export function advertisedAddress(of: Pick<ServingAddresses, "bindAddress" | "advertiseAddress">): string {
  if (of.advertiseAddress !== "") return of.advertiseAddress;
  if (!isUnspecified(of.bindAddress)) return of.bindAddress;
  return firstOuterAddress(networkInterfaces()) ?? "127.0.0.1";
}

/**
 * Returns the address of this server in the Endpoints of the API's own service: as configured, else the one listened on, else the
 * first outer one. Endpoints hold no loopback address: undefined where only that is left.
 * Source: https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/, `--advertise-address`.
 */
export function endpointAddress(
  of: Pick<ServingAddresses, "bindAddress" | "advertiseAddress">,
  interfaces: Interfaces = networkInterfaces(),
): string | undefined {
  const configured = [of.advertiseAddress, of.bindAddress].find((address) => !isUnspecified(address));
  if (configured !== undefined && !isLoopback(configured)) return configured;
  return isUnspecified(of.advertiseAddress) ? firstOuterAddress(interfaces) : undefined;
}

type Interfaces = ReturnType<typeof networkInterfaces>;

/** Returns the first IPv4 address, else the first IPv6 address, that other machines reach. */
function firstOuterAddress(interfaces: Interfaces): string | undefined {
  const outer = Object.values(interfaces)
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !isLinkLocal(address));
  return (outer.find(({ family }) => family === "IPv4") ?? outer[0])?.address;
}

const isLinkLocal = (address: string): boolean => address.startsWith("169.254.") || /^fe[89ab]/i.test(address);

export function isUnspecified(address: string): boolean {
  return address === "" || address === "0.0.0.0" || address === "::";
}
