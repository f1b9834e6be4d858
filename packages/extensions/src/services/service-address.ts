// Where a service of the cluster is reached, for those whom the server itself calls: conversion webhooks and extension servers.
// Source: facts, apiserver-hooks.md "Request routing and headers".
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

/** @throws StatusError for one that cannot be reached */
export type ServiceResolver = (service: ServiceReference) => Promise<NetworkAddress>;

export interface ServiceResolverParts {
  readonly services: ResourceStorage;
  readonly endpoints: ResourceStorage;
  /** Whether to go to an endpoint that is ready, rather than to the service's own address. */
  readonly byEndpoints: boolean;
  /** From 0 to below 1. */
  random(): number;
}

/** The name that a service's certificate is for. */
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

/** Of the endpoints that are ready, those that have a port of this name. */
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
