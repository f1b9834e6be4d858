// The names under which clients may find a server, for its certificate.
import { hostname, networkInterfaces } from "node:os";
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

/** The address that is told to clients: as configured, else the one listened on, else the first outer one. */
export function advertisedAddress(of: Pick<ServingAddresses, "bindAddress" | "advertiseAddress">): string {
  if (of.advertiseAddress !== "") return of.advertiseAddress;
  if (!isUnspecified(of.bindAddress)) return of.bindAddress;
  const outer = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === "IPv4");
  return outer?.address ?? "127.0.0.1";
}

export function isLoopback(address: string): boolean {
  return address === "::1" || address.startsWith("127.") || address === "localhost";
}

export function isUnspecified(address: string): boolean {
  return address === "" || address === "0.0.0.0" || address === "::";
}
