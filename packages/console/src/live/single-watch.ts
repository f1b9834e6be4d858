// One watch of one resource over a request of its own.
import { collectionPath } from "../discovery/resource";
import { request } from "../requests/api";
import { asFailure, type Failure, failureOf } from "../requests/failure";
import { jsonLines } from "../requests/json-lines";
import { isRecord } from "../values/api-object";
import type { ChangeListener, WatchTarget } from "./changes";
import { Pauses, pauseAfter, pauseFor } from "./pause";
import { versionOf } from "./resume-point";

/** Time after which the server ends the watch, so that no connection lives longer than a few minutes without a check. */
const TIMEOUT_SECONDS = 300;

/** Follows the changes until the returned function is called. */
export function singleWatch(target: WatchTarget, listener: ChangeListener): () => void {
  const ending = new AbortController();
  run(target, listener, ending.signal);
  return () => ending.abort();
}

async function run(target: WatchTarget, listener: ChangeListener, signal: AbortSignal): Promise<void> {
  const pauses = new Pauses();
  let version = target.resourceVersion;
  while (!signal.aborted) {
    let failure: Failure | undefined;
    try {
      for await (const event of eventsOf(target, version, signal, () => listener.connection(undefined))) {
        if (signal.aborted) return;
        if (event.type === "ERROR") throw failureOf(500, event.object);
        pauses.reset();
        version = versionOf(event.object) ?? version;
        if (event.type !== "BOOKMARK") listener.change(event.type, event.object);
      }
    } catch (error) {
      if (signal.aborted) return;
      failure = asFailure(error);
      if (failure.code === 401) return; // the page asks for a credential
      if (failure.code === 410) {
        listener.lost();
        return;
      }
    }
    if (signal.aborted) return;
    if (failure !== undefined) listener.connection(failure);
    await pauseFor(pauses.take(Math.random(), pauseAfter(failure)), signal);
  }
}

interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: unknown;
}

async function* eventsOf(
  { resource, namespace, labelSelector, fieldSelector, accept }: WatchTarget,
  resourceVersion: string,
  signal: AbortSignal,
  opened: () => void,
): AsyncGenerator<WatchEvent, void, undefined> {
  const { body } = await request(collectionPath(resource, namespace), {
    query: {
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds: TIMEOUT_SECONDS,
      resourceVersion,
      labelSelector: labelSelector || undefined,
      fieldSelector: fieldSelector || undefined,
    },
    ...(accept === undefined ? {} : { accept }),
    signal,
  });
  if (body === null) return;
  opened();
  for await (const event of jsonLines(body)) {
    if (isRecord(event) && typeof event["type"] === "string") yield event as unknown as WatchEvent;
  }
}
