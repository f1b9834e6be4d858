// How long a server's event loop stood still, as the server itself has measured it.
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiClient } from "../https-client";

const GREATEST_DELAY = /^nodejs_eventloop_lag_max_seconds (\S+)$/m;
/** The measuring timer itself: what is told is at least as much. */
const RESOLUTION_MS = 10;

/** @returns the longest time, in milliseconds, for which nobody was served while `act` ran */
export async function loopDelay(client: ApiClient, act: () => Promise<unknown>): Promise<number> {
  await scrape(client); // begins a new measurement
  await sleep(2 * RESOLUTION_MS);
  await act();
  await sleep(2 * RESOLUTION_MS);
  return Math.max(0, (await scrape(client)) * 1000 - RESOLUTION_MS);
}

async function scrape(client: ApiClient): Promise<number> {
  const { status, body } = await client.get("/metrics", { timeoutMs: 120_000 });
  const found = GREATEST_DELAY.exec(body);
  if (status !== 200 || found === null) throw new Error(`the server does not tell its loop's delay (${status})`);
  return Number(found[1]);
}
