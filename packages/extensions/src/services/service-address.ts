// Addresses of services that the server calls: conversion webhooks and aggregated API servers.
// Source: staging/src/k8s.io/apiserver/pkg/util/proxy/proxy.go.
import { ANY, serviceUnavailable } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { coreV1 } from "@orch/schema";

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface NetworkAddress {
  readonly host: string;
  readonly port: number;
}

/** Resolves a service. @throws StatusError for a service that cannot be reached */
export type ServiceResolver = (service: ServiceReference) => Promise<NetworkAddress>;

export interface ServiceResolverParts {
  readonly services: ResourceStorage;
  readonly endpoints: ResourceStorage;
  /** Whether to connect to a ready endpoint instead of the cluster IP. */
  readonly byEndpoints: boolean;
  /** Returns a number from 0 to below 1. */
  random(): number;
}

/** Returns the name that the serving certificate of a service must be valid for. */
export const serviceHostName = ({ namespace, name }: Omit<ServiceReference, "port">): string =>
  `${name}.${namespace}.svc`;

export function serviceResolver(parts: ServiceResolverParts): ServiceResolver {
  const { services, endpoints, byEndpoints, random } = parts;
  return async (reference) => {
    const { name, namespace, port } = reference;
    const { spec } = (await services.get({ namespace, name }, ANY)).object() as unknown as coreV1.Service;
    const { type, clusterIP = "", externalName = "" } = spec ?? {};
    if (type === "ExternalName") return { host: externalName, port };
    const found = (spec?.ports ?? []).find((each) => each.port === port);
    if (found === undefined) throw serviceUnavailable(`service ${name} has no port ${port}`);
    if (byEndpoints) {
      const ready = (await endpoints.get({ namespace, name }, ANY)).object() as unknown as coreV1.Endpoints;
      return oneOf(readyAddresses(ready, found.name ?? ""), reference, random);
    }
    if (clusterIP === "" || clusterIP === "None") throw serviceUnavailable(`service ${name} has no address`);
    return { host: clusterIP, port };
  };
}

/** Returns the ready endpoint addresses that have a port of this name. */
export function readyAddresses({ subsets = [] }: coreV1.Endpoints, portName: string): readonly NetworkAddress[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) => {
    const port = ports.find((each) => (each.name ?? "") === portName)?.port;
    return port === undefined ? [] : addresses.flatMap(({ ip }) => (ip === undefined ? [] : [{ host: ip, port }]));
  });
}

function oneOf(ready: readonly NetworkAddress[], { name }: ServiceReference, random: () => number): NetworkAddress {
  const chosen = ready[Math.floor(random() * ready.length)];
  if (chosen === undefined) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  return chosen;
}
