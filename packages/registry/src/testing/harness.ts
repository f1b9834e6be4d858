// A registry over a memory store, with shorthands for tests.

import type { ServedVersion } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import type { ListRequest, WatchEvent, Watcher, WatchRequest, WriteContext } from "../contract/operations";
import type { Registry } from "../contract/registry";
import { createRegistry, type RegistryOptions } from "../create-registry";
import { widgets } from "./widgets";

export const V1 = widgets.storage;
const EVERYTHING = {};

export async function startRegistry(
  options: Partial<RegistryOptions> = {},
): Promise<{ store: Store; registry: Registry }> {
  const store = options.store ?? (await openStore({ kind: "memory" }));
  const registry = createRegistry({ vocabulary: vocabularyOf("orch"), ...options, store });
  await registry.ready();
  return { store, registry };
}

export function writing(more: Partial<WriteContext> = {}): WriteContext {
  return { version: V1, user: { name: "tester", groups: [] }, dryRun: false, warn: () => {}, ...more };
}

export function listing(more: Partial<ListRequest> = {}): ListRequest {
  return { namespace: "", read: { kind: "mostRecent" }, selection: EVERYTHING, limit: 0, ...more };
}

export function watching(more: Partial<WatchRequest> = {}): WatchRequest {
  return {
    namespace: "",
    selection: EVERYTHING,
    start: { kind: "mostRecent" },
    sendInitialEvents: false,
    bookmarks: false,
    timeoutMs: 3_600_000,
    version: V1,
    ...more,
  };
}

/** Returns `ADDED a@5`, `BOOKMARK 7` or `ERROR 410`. */
export function eventText(event: WatchEvent, version: ServedVersion = V1): string {
  const { type, object } = JSON.parse(event.frame(version).toString("utf8"));
  if (type === "ERROR") return `ERROR ${object.code}`;
  const { name, resourceVersion } = object.metadata;
  return name === undefined ? `${type} ${resourceVersion}` : `${type} ${name}@${resourceVersion}`;
}

/** Reads until there are `count` events, or the watch has ended. */
export async function readEvents(watcher: Watcher, count: number): Promise<WatchEvent[]> {
  const events: WatchEvent[] = [];
  for (;;) {
    const readable = new Promise<void>((resolve) => watcher.onReadable(resolve));
    for (let some = watcher.take(10); some.length > 0; some = watcher.take(10)) events.push(...some);
    if (events.length >= count || watcher.ended !== undefined) return events;
    await readable;
  }
}

export async function readTexts(watcher: Watcher, count: number): Promise<string[]> {
  return (await readEvents(watcher, count)).map((event) => eventText(event));
}

/** Lets the memory store's watches deliver what has been written. */
export async function delivered(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  // A timer of a process that the machine has held back precedes what the store has scheduled.
  for (let turn = 0; turn < DELIVERY_TURNS; turn += 1) await new Promise(setImmediate);
}

/** Number of turns of the event loop in which a store in memory carries out what one step of a test causes. */
const DELIVERY_TURNS = 10;
