// Observation of many objects until each fulfils a condition: one list and one watch per resource and namespace, or per
// object when there are few. Watches that end or expire are opened again.
import { setTimeout as pause } from "node:timers/promises";
import type { List, ResourceClient } from "@orch/client";
import { isCode, nameOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { clientOf, type Target } from "./targets";

export interface Observation {
  /** Decides about an object, which is undefined when it does not exist. True ends its observation. May throw. */
  readonly decide: (target: Target, object: JsonObject | undefined) => boolean;
  /** Milliseconds for all objects together. */
  readonly timeoutMs: number;
  /** Makes the error of the objects that are left at the timeout. */
  readonly late: (left: readonly Target[]) => Error;
  readonly part?: "metadata";
}

/** Up to this number of objects of one resource and namespace, each is watched for itself, which needs no wider rights. */
const SINGLE_WATCHES_MAX = 16;
const RETRY_MS = 500;
const WATCH_SECONDS = 300;

interface Group {
  readonly client: ResourceClient;
  readonly fieldSelector: string | undefined;
  readonly waiting: Map<string, Target[]>;
}

/** Settles when every object is decided. @throws the error of `late`, of `decide`, or of the server */
export async function observe(session: Session, targets: readonly Target[], of: Observation): Promise<void> {
  const groups = await groupsOf(session, targets);
  const ending = new AbortController();
  const stop = () => ending.abort(session.signal.reason);
  session.signal.addEventListener("abort", stop, { once: true });
  const timer = setTimeout(
    () => {
      const left = groups.flatMap(({ waiting }) => [...waiting.values()].flat());
      ending.abort(of.late(targets.filter((target) => left.includes(target))));
    },
    Math.min(of.timeoutMs, 2 ** 31 - 1),
  );
  try {
    await Promise.all(groups.map((group) => observeGroup(group, of, ending.signal)));
  } catch (error) {
    ending.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    session.signal.removeEventListener("abort", stop);
  }
}

async function groupsOf(session: Session, targets: readonly Target[]): Promise<readonly Group[]> {
  const byPlace = new Map<string, Target[]>();
  for (const target of targets) {
    const { type, namespace = "" } = target;
    const key = `${type.group}/${type.version}/${type.resource}/${namespace}`;
    const found = byPlace.get(key);
    if (found === undefined) byPlace.set(key, [target]);
    else found.push(target);
  }
  const groups: Group[] = [];
  for (const members of byPlace.values()) {
    const client = await clientOf(session, members[0] as Target);
    const byName = new Map<string, Target[]>();
    for (const target of members) byName.set(target.name, [...(byName.get(target.name) ?? []), target]);
    if (byName.size > SINGLE_WATCHES_MAX) groups.push({ client, fieldSelector: undefined, waiting: byName });
    else {
      for (const [name, each] of byName) {
        groups.push({ client, fieldSelector: `metadata.name=${name}`, waiting: new Map([[name, each]]) });
      }
    }
  }
  return groups;
}

async function observeGroup(group: Group, of: Observation, signal: AbortSignal): Promise<void> {
  while (group.waiting.size > 0) {
    signal.throwIfAborted();
    const resourceVersion = await listGroup(group, of, signal);
    if (group.waiting.size > 0) await watchGroup(group, of, { resourceVersion, signal });
  }
}

async function listGroup(
  { client, fieldSelector, waiting }: Group,
  of: Observation,
  signal: AbortSignal,
): Promise<string> {
  const seen = new Set<string>();
  let last: List<JsonObject> | undefined;
  const options = {
    signal,
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(of.part && { part: of.part }),
  };
  for await (const page of client.pages(options)) {
    last ??= page;
    for (const object of page.items) {
      seen.add(nameOf(object));
      decided(waiting, of, { name: nameOf(object), object });
    }
  }
  for (const name of [...waiting.keys()]) if (!seen.has(name)) decided(waiting, of, { name, object: undefined });
  return last?.resourceVersion ?? "";
}

async function watchGroup(
  { client, fieldSelector, waiting }: Group,
  of: Observation,
  { resourceVersion, signal }: { readonly resourceVersion: string; readonly signal: AbortSignal },
): Promise<void> {
  try {
    const events = client.watch({
      resourceVersion,
      timeoutSeconds: WATCH_SECONDS,
      signal,
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(of.part && { part: of.part }),
    });
    for await (const event of events) {
      if (event.type === "BOOKMARK") continue;
      const object = event.type === "DELETED" ? undefined : event.object;
      decided(waiting, of, { name: nameOf(event.object), object });
      if (waiting.size === 0) return;
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CliError || isCode(error, 401, 403)) throw error;
    await pause(RETRY_MS, undefined, { signal });
  }
}

function decided(
  waiting: Map<string, Target[]>,
  { decide }: Observation,
  { name, object }: { readonly name: string; readonly object: JsonObject | undefined },
): void {
  const targets = waiting.get(name);
  if (targets === undefined) return;
  const left = targets.filter((target) => !decide(target, object));
  if (left.length === 0) waiting.delete(name);
  else waiting.set(name, left);
}
