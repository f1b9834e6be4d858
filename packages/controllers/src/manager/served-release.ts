// Which release the server emulates: some duties are done differently from one to the next.
import type { Client } from "@orch/client";
import { pauseUnlessAborted } from "@orch/platform";
import { isObject } from "@orch/schema";

const RETRY_MS = 1_000;

/** Asks until there is an answer. @returns such as `1.23`; undefined once the signal is aborted */
export async function servedRelease(client: Client, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      const version = await client.getJson("/version", { signal });
      const { major, minor } = isObject(version) ? version : {};
      const release = `${major}.${Number.parseInt(String(minor), 10)}`;
      if (/^\d+\.\d+$/.test(release)) return release;
      throw new Error(`/version says major ${JSON.stringify(major)} and minor ${JSON.stringify(minor)}`);
    } catch (error) {
      if (signal.aborted) break;
      client.log.warn("the server does not say its release yet", { error: String(error) });
      await pauseUnlessAborted(client.clock, RETRY_MS, signal);
    }
  }
  return undefined;
}
