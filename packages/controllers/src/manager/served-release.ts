// Which release the server emulates: some duties are done differently from one to the next, and some not at all.
import type { Client } from "@orch/client";
import { pauseUnlessAborted } from "@orch/platform";
import { isObject } from "@orch/schema";

type Asked = Pick<Client, "getJson" | "clock">;

const RETRY_MS = 1_000;
/** Servers are replaced one after the other, and watches go on at the next. */
const LOOK_EVERY_MS = 30_000;

/** Asks until there is an answer. @returns such as `1.23`; undefined once the signal is aborted */
export async function servedRelease(client: Client, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      return await askedRelease(client, signal);
    } catch (error) {
      if (signal.aborted) break;
      client.log.warn("the server does not say its release yet", { error: String(error) });
      await pauseUnlessAborted(client.clock, RETRY_MS, signal);
    }
  }
  return undefined;
}

/**
 * Asks again and again.
 * @returns the new release, as soon as it is another one than `former`; undefined once the signal is aborted
 */
export async function changedRelease(client: Asked, former: string, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    await pauseUnlessAborted(client.clock, LOOK_EVERY_MS, signal);
    // A server that does not answer is the same still, as far as can be told.
    const now = await askedRelease(client, signal).catch(() => former);
    if (now !== former) return now;
  }
  return undefined;
}

/** @throws what the request throws, and Error for an answer that says nothing of it */
async function askedRelease(client: Pick<Asked, "getJson">, signal: AbortSignal): Promise<string> {
  const version = await client.getJson("/version", { signal });
  const { major, minor } = isObject(version) ? version : {};
  const release = `${major}.${Number.parseInt(String(minor), 10)}`;
  if (/^\d+\.\d+$/.test(release)) return release;
  throw new Error(`/version says major ${JSON.stringify(major)} and minor ${JSON.stringify(minor)}`);
}
