// Emulated release of the server. Some controllers depend on it.
import type { Client } from "@orch/client";
import { pauseUnlessAborted } from "@orch/platform";
import { isObject } from "@orch/schema";

type Asked = Pick<Client, "getJson" | "clock">;

const RETRY_MS = 1_000;
/** Interval of checks: servers may be replaced one after the other while watches continue at the next one. */
const LOOK_EVERY_MS = 30_000;

/**
 * Asks the server until it answers.
 * @returns a release such as `1.23`; undefined once the signal is aborted
 */
export async function servedRelease(client: Client, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    try {
      return await askedRelease(client, signal);
    } catch (error) {
      if (signal.aborted) break;
      client.log.warn("cannot read the server's version yet", { error: String(error) });
      await pauseUnlessAborted(client.clock, RETRY_MS, signal);
    }
  }
  return undefined;
}

/**
 * Polls the release.
 * @returns the new release as soon as it differs from `former`; undefined once the signal is aborted
 */
export async function changedRelease(client: Asked, former: string, signal: AbortSignal): Promise<string | undefined> {
  while (!signal.aborted) {
    await pauseUnlessAborted(client.clock, LOOK_EVERY_MS, signal);
    // A failed request is no evidence of another release.
    const now = await askedRelease(client, signal).catch(() => former);
    if (now !== former) return now;
  }
  return undefined;
}

/**
 * Asks the server once.
 * @throws the errors of the request, and Error for an answer without a release
 */
export async function askedRelease(client: Pick<Asked, "getJson">, signal?: AbortSignal): Promise<string> {
  const version = await client.getJson("/version", signal && { signal });
  const { major, minor } = isObject(version) ? version : {};
  const release = `${major}.${Number.parseInt(String(minor), 10)}`;
  if (/^\d+\.\d+$/.test(release)) return release;
  throw new Error(`/version returned major ${JSON.stringify(major)} and minor ${JSON.stringify(minor)}`);
}
