// Empties a namespace: deletes the objects of every deletable resource, including those of aggregated API servers.
// Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go.
import { type Client, type DiscoveredResource, ResourceMapper } from "@orch/client";
import { isCode, metaOf } from "@orch/machinery";
import { compareReleases, type coreV1, type JsonObject } from "@orch/schema";
import { currentVersions } from "../../framework/deprecated-types";
import type { ContentState } from "./namespace-conditions";

/**
 * First release whose controller deletes the pods and waits until they are gone before it deletes anything else, so that
 * no pod runs without the network policies and secrets that it relies on. Source: KEP-5080.
 */
const PODS_FIRST_SINCE = "1.33";
/** Number of collections that are emptied concurrently. */
const AT_ONCE = 8;
const DELETE_TIMEOUT_MS = 120_000;

const METADATA = { part: "metadata", dropsManagedFields: true } as const;

export interface Emptied extends ContentState {
  /** Longest grace period of the remaining pods in seconds; 0 when there is nothing to wait for. */
  readonly podsNeedSeconds: number;
}

/** Deletes the content and returns what is left. Failures are part of the result. */
export async function emptyNamespace(client: Client, release: string, namespace: string): Promise<Emptied> {
  const discoveryErrors: Error[] = [];
  let collections: readonly DiscoveredResource[] = [];
  try {
    const { resources, failures } = await new ResourceMapper(client).discover();
    collections = currentVersions(resources.filter(isDeletable), { vocabulary: client.vocabulary, release });
    discoveryErrors.push(...failures.map(({ groupVersion, error }) => new Error(`${groupVersion}: ${error.message}`)));
  } catch (error) {
    discoveryErrors.push(error as Error);
  }
  const deletionErrors: string[] = [];
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  let podsNeedSeconds = 0;
  const isFirst = (type: DiscoveredResource) => compareReleases(release, PODS_FIRST_SINCE) >= 0 && isPods(type);
  await empty(collections.filter(isFirst));
  if (remaining.size === 0) await empty(collections.filter((type) => !isFirst(type)));
  return { discoveryErrors, deletionErrors, remaining, finalizers, podsNeedSeconds };

  async function empty(types: readonly DiscoveredResource[]): Promise<void> {
    const queue = types.values();
    await Promise.all(Array.from({ length: AT_ONCE }, () => worker(queue)));
  }

  async function worker(queue: Iterable<DiscoveredResource>): Promise<void> {
    for (const type of queue) {
      try {
        const left = await emptyCollection(client, type, namespace);
        if (left.length > 0) remaining.set(`${type.resource}.${type.group}`, left.length);
        for (const object of left) count(finalizers, metaOf(object).finalizers ?? []);
        if (isPods(type)) podsNeedSeconds = secondsForPods(left, client.clock.now());
        else if (left.some((object) => (metaOf(object).finalizers ?? []).length === 0)) {
          const { resource, group, version } = type;
          const gvr = `${group}/${version}, Resource=${resource}`;
          throw new Error(`unexpected items still remain in namespace: ${namespace} for gvr: ${gvr}`);
        }
      } catch (error) {
        deletionErrors.push((error as Error).message);
      }
    }
  }
}

const isPods = ({ group, resource }: DiscoveredResource): boolean => group === "" && resource === "pods";

const isDeletable = ({ namespaced, verbs }: DiscoveredResource): boolean =>
  namespaced && verbs.includes("delete") && verbs.includes("list");

/** @returns the remaining objects */
async function emptyCollection(client: Client, type: DiscoveredResource, namespace: string): Promise<JsonObject[]> {
  const objects = client.resource(type).namespace(namespace);
  const options = { propagationPolicy: "Background", timeoutMs: DELETE_TIMEOUT_MS } as const;
  let asAWhole = type.verbs.includes("deletecollection");
  if (asAWhole) {
    await objects.deleteCollection({}, options).catch((error: unknown) => {
      if (!isCode(error, 405, 404)) throw error;
      asAWhole = false;
    });
  }
  if (!asAWhole) {
    for await (const object of objects.all(METADATA)) {
      await objects.delete(metaOf(object).name ?? "", options).catch((error: unknown) => {
        if (!isCode(error, 404)) throw error;
      });
    }
  }
  const left: JsonObject[] = [];
  // The grace period of pods is outside their metadata.
  for await (const object of objects.all(isPods(type) ? { dropsManagedFields: true } : METADATA)) left.push(object);
  return left;
}

/**
 * Returns the longest grace period, in seconds, of the pods that have not terminated and whose deletion time has not
 * passed.
 */
function secondsForPods(pods: readonly JsonObject[], nowMs: number): number {
  let longest = 0;
  for (const pod of pods as readonly coreV1.Pod[]) {
    if (["Failed", "Succeeded"].includes(pod.status?.phase ?? "")) continue;
    const grace = pod.metadata?.deletionGracePeriodSeconds ?? pod.spec?.terminationGracePeriodSeconds ?? 0;
    const since = pod.metadata?.deletionTimestamp;
    if (since && nowMs > Date.parse(String(since))) continue;
    longest = Math.max(longest, Number(grace));
  }
  return longest;
}

function count(counts: Map<string, number>, names: readonly string[]): void {
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
}
