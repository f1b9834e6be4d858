// Checks whether a server supports a controller: an older release, or a disabled API, may lack what it needs.
// Source: cmd/kube-controller-manager/app/controllermanager.go.
import type { Client } from "@orch/client";
import { isCode } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { compareReleases, groupName, isObject, type JsonValue, vocabularyOf } from "@orch/schema";
import type { Controller, GateReader } from "../framework/controller";

const RETRY_MS = 1_000;

/**
 * Asks the server until it answers.
 * @returns what is missing; undefined when nothing is, or the signal is aborted
 */
export async function missingRequirement(
  { since, gate, needs }: Pick<Controller, "since" | "gate" | "needs">,
  { client, release, isOn }: { readonly client: Client; readonly release: string; readonly isOn: GateReader },
  signal: AbortSignal,
): Promise<string | undefined> {
  if (since !== undefined && compareReleases(release, since) < 0) return `release ${since}`;
  if (gate !== undefined && !isOn(gate)) return `feature gate ${gate}`;
  if (needs === undefined || (await isServed(needs, client, signal))) return undefined;
  return `${needs.resource}.${groupOf(needs, client)}`;
}

type Needed = NonNullable<Controller["needs"]>;

const groupOf = ({ group }: Needed, client: Client): string => groupName(vocabularyOf(client.vocabulary), group);

async function isServed(needed: Needed, client: Client, signal: AbortSignal): Promise<boolean> {
  const path = `/apis/${groupOf(needed, client)}`;
  while (!signal.aborted) {
    try {
      const group = await client.getJson(path, { signal });
      for (const { version } of listIn(group, "versions")) {
        if (needed.versions?.includes(String(version)) === false) continue;
        const resources = listIn(await client.getJson(`${path}/${version}`, { signal }), "resources");
        if (resources.some(({ name }) => name === needed.resource)) return true;
      }
      return false;
    } catch (error) {
      if (isCode(error, 404)) return false;
      if (!signal.aborted)
        client.log.warn("cannot read the server's discovery documents yet", { error: String(error) });
      await pauseUnlessAborted(client.clock, RETRY_MS, signal);
    }
  }
  return true;
}

function listIn(document: JsonValue, name: string): readonly Record<string, JsonValue>[] {
  const list = isObject(document) ? document[name] : undefined;
  return Array.isArray(list) ? (list.filter((each) => isObject(each)) as Record<string, JsonValue>[]) : [];
}
