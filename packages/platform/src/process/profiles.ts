// CPU and heap profiles of the running process, for the tools of Node.js. One at a time.
import type { Session } from "node:inspector/promises";
import { setTimeout as pause } from "node:timers/promises";

export type ProfileKind = "profile" | "heap";

const MAX_SECONDS = 300;
const DEFAULT_SECONDS = 30;

let isTaking = false;

/** Takes a profile. @param seconds value of the query parameter @returns JSON; undefined while another one is taken */
export async function takeProfile(kind: ProfileKind, seconds: string | null): Promise<string | undefined> {
  if (isTaking) return undefined;
  isTaking = true;
  const given = Number(seconds ?? DEFAULT_SECONDS);
  const ms = 1000 * (given > 0 ? Math.min(given, MAX_SECONDS) : DEFAULT_SECONDS);
  const { Session: Opened } = require("node:inspector/promises") as typeof import("node:inspector/promises");
  const session = new Opened();
  session.connect();
  try {
    return JSON.stringify(await (kind === "profile" ? ofProcessor(session, ms) : ofMemory(session, ms)));
  } finally {
    session.disconnect();
    isTaking = false;
  }
}

async function ofProcessor(session: Session, ms: number): Promise<unknown> {
  await session.post("Profiler.enable");
  await session.post("Profiler.start");
  await pause(ms, undefined, { ref: false });
  return (await session.post("Profiler.stop")).profile;
}

/** Profiles allocations during the time that are still live at its end. */
async function ofMemory(session: Session, ms: number): Promise<unknown> {
  await session.post("HeapProfiler.enable");
  await session.post("HeapProfiler.startSampling");
  await pause(ms, undefined, { ref: false });
  return (await session.post("HeapProfiler.stopSampling")).profile;
}
