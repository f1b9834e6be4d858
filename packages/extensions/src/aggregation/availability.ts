// Availability checks of an APIService. The first failing check decides.
// Source: staging/src/k8s.io/kube-aggregator/pkg/controllers/status.
import { ANY, isReason, type UserInfo } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { coreV1, JsonObject } from "@orch/schema";
import { readyAddresses } from "../services/service-address";
import { boundedGet, ResponseTimeoutError } from "./bounded-get";
import type { ExtensionServers } from "./extension-server";
import { identityHeaders } from "./identity-headers";
import type { AvailableCondition, RemoteRegistration } from "./registration";

export interface AvailabilityParts {
  readonly services: ResourceStorage;
  readonly endpoints: ResourceStorage;
  readonly servers: ExtensionServers;
  /** User of the discovery requests. */
  readonly user: UserInfo;
}

/** Number of parallel discovery requests, of which one must succeed: each may reach another endpoint. */
const LOOKS = 5;
const LOOK_MS = 5000;
const ALL_LOOKS_MS = 6000;

export const LOCAL: AvailableCondition = {
  status: "True",
  reason: "Local",
  message: "Local APIServices are always available",
};

/** Returns the condition of an APIService with a service reference. @throws the signal's reason */
export async function availabilityOf(
  registration: RemoteRegistration,
  parts: AvailabilityParts,
  signal: AbortSignal,
): Promise<AvailableCondition> {
  const found = await networkFinding(registration, parts);
  if (found !== undefined) return found;
  const problem = await discoveryProblem(registration, parts, signal);
  signal.throwIfAborted();
  if (problem !== undefined) return { status: "False", reason: "FailedDiscoveryCheck", message: problem };
  return { status: "True", reason: "Passed", message: "all checks passed" };
}

const unavailable = (reason: string, message: string): AvailableCondition => ({ status: "False", reason, message });

/** Checks the service and its endpoints. @returns the failed check; undefined: none failed */
async function networkFinding(
  { backend: { service } }: RemoteRegistration,
  { services, endpoints }: AvailabilityParts,
): Promise<AvailableCondition | undefined> {
  const { name, namespace, port } = service;
  const place = `service/${name} in "${namespace}"`;
  const seen = await read<coreV1.Service>(services, service);
  if (seen.kind === "missing") return unavailable("ServiceNotFound", `${place} is not present`);
  if (seen.kind === "failed")
    return {
      status: "Unknown",
      reason: "ServiceAccessError",
      message: `${place} cannot be checked due to: ${seen.why}`,
    };
  const { type, ports = [] } = seen.object.spec ?? {};
  if (type !== undefined && type !== "ClusterIP") return undefined;
  const listening = ports.find((each) => each.port === port);
  if (listening === undefined) return unavailable("ServicePortError", `${place} is not listening on port ${port}`);
  const found = await read<coreV1.Endpoints>(endpoints, service);
  if (found.kind === "missing") return unavailable("EndpointsNotFound", `cannot find endpoints for ${place}`);
  if (found.kind === "failed")
    return {
      status: "Unknown",
      reason: "EndpointsAccessError",
      message: `${place} cannot be checked due to: ${found.why}`,
    };
  const portName = listening.name ?? "";
  if (readyAddresses(found.object, portName).length > 0) return undefined;
  return unavailable("MissingEndpoints", `endpoints for ${place} have no addresses with port name "${portName}"`);
}

type Reading<T> =
  | { readonly kind: "found"; readonly object: T }
  | { readonly kind: "missing" }
  | { readonly kind: "failed"; readonly why: string };

async function read<T>(
  storage: ResourceStorage,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Reading<T>> {
  try {
    const entry = await storage.get({ namespace, name }, ANY);
    return { kind: "found", object: entry.whole() as JsonObject as unknown as T };
  } catch (error) {
    if (isReason(error, "NotFound")) return { kind: "missing" };
    return { kind: "failed", why: (error as Error).message };
  }
}

export const discoveryPath = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;

/** Requests the discovery document. @returns the problem; undefined: none */
async function discoveryProblem(
  registration: RemoteRegistration,
  parts: AvailabilityParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const enough = new AbortController();
  const bound = setTimeout(() => enough.abort(), ALL_LOOKS_MS);
  const either = AbortSignal.any([signal, enough.signal]);
  let first: string | undefined;
  const look = async (): Promise<void> => {
    const problem = await lookOnce(registration, parts, either);
    first ??= problem;
    if (problem !== undefined) throw new Error(problem);
  };
  try {
    await Promise.any(Array.from({ length: LOOKS }, look));
    return undefined;
  } catch {
    return first ?? `timed out waiting for ${discoveryPath(registration)}`;
  } finally {
    clearTimeout(bound);
    enough.abort();
  }
}

async function lookOnce(
  registration: RemoteRegistration,
  { servers, user }: AvailabilityParts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = discoveryPath(registration);
  let url = path;
  try {
    const server = await servers.of(registration);
    url = `https://${server.host}:${server.port}${path}`;
    const headers = identityHeaders(user);
    const asked = { path, headers, timeoutMs: LOOK_MS, maxBytes: 0, verified: false, signal };
    const { code } = await boundedGet(server, asked);
    return code >= 200 && code < 300 ? undefined : `bad status from ${url}: ${code}`;
  } catch (error) {
    if (error instanceof ResponseTimeoutError || signal.aborted) return `timed out waiting for ${url}`;
    return `failing or missing response from ${url}: ${(error as Error).message}`.slice(0, MESSAGE_MAX);
  }
}

const MESSAGE_MAX = 1000;
