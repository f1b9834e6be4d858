// Versions of a resource that the server serves, by its discovery documents.
import type { Client } from "@orch/client";
import { isCode } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { isObject, type JsonValue } from "@orch/schema";

const RETRY_MS = 1_000;

/** @param versions versions that the caller knows, the preferred one first; absent: any */
export interface NamedResource {
  readonly group: string;
  readonly resource: string;
  readonly versions?: readonly string[];
}

/**
 * Asks the server until it answers.
 * @returns the preferred version; undefined when the server does not serve the resource, or the signal is aborted
 */
export async function servedVersion(
  { group, resource, versions }: NamedResource,
  client: Client,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = `/apis/${group}`;
  while (!signal.aborted) {
    try {
      const served = listIn(await client.getJson(path, { signal }), "versions").map(({ version }) => String(version));
      for (const version of versions ?? served) {
        if (!served.includes(version)) continue;
        const resources = listIn(await client.getJson(`${path}/${version}`, { signal }), "resources");
        if (resources.some(({ name }) => name === resource)) return version;
      }
      return undefined;
    } catch (error) {
      if (isCode(error, 404)) return undefined;
      if (!signal.aborted)
        client.log.warn("cannot read the server's discovery documents yet", { error: String(error) });
      await pauseUnlessAborted(client.clock, RETRY_MS, signal);
    }
  }
  return undefined;
}

function listIn(document: JsonValue, name: string): readonly Record<string, JsonValue>[] {
  const list = isObject(document) ? document[name] : undefined;
  return Array.isArray(list) ? (list.filter((each) => isObject(each)) as Record<string, JsonValue>[]) : [];
}
