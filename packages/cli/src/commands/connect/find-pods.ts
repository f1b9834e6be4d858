// Pods of an argument: `web`, `pod/web`, or a workload or service whose selector chooses them. Source:
// kubectl/pkg/polymorphichelpers/attachablepodforobject.go.
import type { DiscoveredResource } from "@orch/client";
import { parseGoDuration } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { CliError } from "../../process/cli-error";
import { objectText } from "../../resources/resource-arguments";
import type { Session } from "../../session/session";

const POLL_MS = 500;

export interface FoundPods {
  /** Preferred pods first. */
  readonly pods: readonly JsonObject[];
  /** The object that chose them, if it is no pod. */
  readonly owner?: { readonly type: DiscoveredResource; readonly object: JsonObject };
}

/**
 * Returns the pods of an argument, and waits for the first one.
 * @param timeoutMs how long to wait for a pod of a workload
 * @throws CliError when there is none in time
 */
export async function podsOf(session: Session, word: string, timeoutMs: number): Promise<FoundPods> {
  const [resource, name = "", ...rest] = word.includes("/") ? word.split("/") : ["pods", word];
  if (name === "" || rest.length > 0) throw new CliError(`${JSON.stringify(word)}: expected POD or TYPE/NAME`);
  const type = await (await session.catalog()).forName(resource ?? "pods");
  const client = await session.client();
  const objects = client.resource(type);
  const within = type.namespaced ? objects.namespace(session.namespace) : objects;
  const object = await within.get(name, { signal: session.signal });
  if (type.group === "" && type.resource === "pods") return { pods: [object] };
  const labelSelector = selectorText(type, object);
  const pods = await chosenPods(session, labelSelector, timeoutMs, objectText(type, name));
  return { pods, owner: { type, object } };
}

/** Returns the pods with labels, preferred ones first; an empty list if there are none. */
export async function podsWith(session: Session, labelSelector: string): Promise<readonly JsonObject[]> {
  const client = await session.client();
  const type = await (await session.catalog()).forName("pods");
  const found: JsonObject[] = [];
  const list = client.resource(type).namespace(session.namespace);
  for await (const pod of list.all({ labelSelector, signal: session.signal })) found.push(pod);
  return found;
}

async function chosenPods(
  session: Session,
  labelSelector: string,
  timeoutMs: number,
  what: string,
): Promise<readonly JsonObject[]> {
  const since = performance.now();
  for (;;) {
    const pods = [...(await podsWith(session, labelSelector))].sort((one, other) => rank(one) - rank(other));
    if (pods.length > 0) return pods;
    if (performance.now() - since > timeoutMs) throw new CliError(`timed out waiting for a pod of ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    session.signal.throwIfAborted();
  }
}

/** Ready pods first, then running ones, then those that wait. */
function rank({ status }: JsonObject): number {
  if (!isObject(status)) return 3;
  const { phase, conditions } = status;
  const isReady =
    Array.isArray(conditions) &&
    conditions.some((each) => isObject(each) && each["type"] === "Ready" && each["status"] === "True");
  return isReady ? 0 : phase === "Running" ? 1 : phase === "Pending" ? 2 : 3;
}

function selectorText(type: DiscoveredResource, object: JsonObject): string {
  const { spec } = object;
  const selector = isObject(spec) ? spec["selector"] : undefined;
  if (isObject(selector)) {
    const isOld = type.group === "" && (type.resource === "services" || type.resource === "replicationcontrollers");
    const text = isOld ? equalities(selector) : selectorOf(selector);
    if (text !== "") return text;
  }
  throw new CliError(`${objectText(type, String(name(object)))} has no selector that chooses pods: name a pod`);
}

function selectorOf({ matchLabels, matchExpressions }: JsonObject): string {
  const parts = isObject(matchLabels) ? [equalities(matchLabels)] : [];
  for (const each of Array.isArray(matchExpressions) ? matchExpressions : []) {
    if (!isObject(each)) continue;
    const { key, operator, values } = each;
    const list = Array.isArray(values) ? values.join(",") : "";
    if (operator === "In") parts.push(`${String(key)} in (${list})`);
    else if (operator === "NotIn") parts.push(`${String(key)} notin (${list})`);
    else if (operator === "Exists") parts.push(String(key));
    else if (operator === "DoesNotExist") parts.push(`!${String(key)}`);
  }
  return parts.filter((each) => each !== "").join(",");
}

const equalities = (labels: JsonObject): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(",");

export const name = ({ metadata }: JsonObject): string => (isObject(metadata) ? String(metadata["name"]) : "");

export const namespaceOfPod = ({ metadata }: JsonObject): string =>
  isObject(metadata) ? String(metadata["namespace"]) : "";

/** Returns the duration of an option in milliseconds. @throws CliError that names the option */
export function durationOf(option: string, text: string): number {
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : parseGoDuration(text);
  if (ms !== undefined && ms >= 0) return ms;
  throw new CliError(`${option}: ${JSON.stringify(text)} is not a duration, such as 10s or 2m`);
}
