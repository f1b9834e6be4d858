// Warnings about the containers of a pod: environment, resources and ports.
import { objectsAt, type WarningList, warnOfFraction } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import type { PlacedContainer } from "./pod-shape";

/** Resources whose amounts are bytes. */
const BYTES = ["memory", "ephemeral-storage"] as const;

/** Adds warnings about fractions of bytes. @param at path of the resource list */
export function warnOfFractions(amounts: unknown, at: string, list: WarningList): void {
  if (!isRecord(amounts)) return;
  for (const name of BYTES) warnOfFraction(amounts[name], `${at}[${name}]`, list);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

export function warnOfResources({ container: { resources }, at }: PlacedContainer, list: WarningList): void {
  if (!isObject(resources)) return;
  warnOfFractions(resources["limits"], `${at}.resources.limits`, list);
  warnOfFractions(resources["requests"], `${at}.resources.requests`, list);
}

/** Adds a warning for each variable that hides an earlier one of the same name without a reference to it. */
export function warnOfEnvironment({ container, at }: PlacedContainer, list: WarningList): void {
  const variables = objectsAt(container, "env");
  if (variables.length < 2) return;
  const seen = new Set<string>();
  for (const [position, { name, value = "", valueFrom }] of variables.entries()) {
    if (typeof name !== "string") continue;
    if (!seen.has(name)) {
      seen.add(name);
      continue;
    }
    const reference = `$(${name})`;
    if (valueFrom == null && value !== reference && String(value).includes(reference)) continue;
    list.add(
      `${at}.env[${position}]`,
      `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    );
  }
}

/** Adds warnings about ports of the same number or name in any container. */
export function warnOfPorts(containers: readonly PlacedContainer[], list: WarningList): void {
  const numbers = new Map<string, PlacedPort[]>();
  const names = new Map<string, string>();
  const repeated: string[] = [];
  for (const { container, at } of containers) {
    for (const [position, port] of objectsAt(container, "ports").entries()) {
      const place = `${at}.ports[${position}]`;
      const { name = "", containerPort, protocol, hostIP = "", hostPort = 0 } = port;
      const placed = { at: place, hostIP, hostPort };
      const key = `${String(containerPort)}/${String(protocol)}`;
      if (list.since("1.33") && hostIP !== "" && hostPort === 0)
        list.add(place, `hostIP set without hostPort: ${portText(port)}`);
      const others = numbers.get(key);
      if (others === undefined) numbers.set(key, [placed]);
      else {
        warnOfConflicts(placed, others, list);
        if (others.length < CONFLICTS_MAX) others.push(placed);
      }
      if (typeof name !== "string" || name === "") continue;
      const first = names.get(name);
      if (first === undefined) names.set(name, place);
      else
        repeated.push(
          `${place}: duplicate port name ${JSON.stringify(name)} with ${first}, services and probes that select ports by name will use ${first}`,
        );
    }
  }
  if (list.since("1.31")) list.texts.push(...repeated);
}

/** Maximum number of ports of one number that a later port is compared with. */
const CONFLICTS_MAX = 32;

interface PlacedPort {
  readonly at: string;
  readonly hostIP: unknown;
  readonly hostPort: unknown;
}

function warnOfConflicts(port: PlacedPort, others: readonly PlacedPort[], list: WarningList): void {
  if (!list.since("1.28")) return;
  for (const other of others) {
    const what = conflictOf(port, other);
    if (what !== undefined) list.add(port.at, `${what} port definition with ${other.at}`);
  }
}

function conflictOf(port: PlacedPort, other: PlacedPort): string | undefined {
  if (port.hostIP === other.hostIP && port.hostPort === other.hostPort) return "duplicate";
  if (port.hostPort === 0 || other.hostPort === 0) return "overlapping";
  const oneIsAny = (port.hostIP === "") !== (other.hostIP === "");
  return port.hostPort === other.hostPort && oneIsAny ? "dangerously ambiguous" : undefined;
}

function portText({ name = "", hostPort = 0, containerPort = 0, protocol = "", hostIP = "" }: JsonObject): string {
  return `{Name:${String(name)} HostPort:${String(hostPort)} ContainerPort:${String(containerPort)} Protocol:${String(protocol)} HostIP:${String(hostIP)}}`;
}
