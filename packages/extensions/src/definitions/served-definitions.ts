// Follows the custom resource definitions in the watch cache and serves the resources they define. Replicas need no
// other knowledge of each other.
//
// event: a definition was created, changed or deleted; handled in revision order, which all replicas share
// settled: its names are accepted: the resource is served from here on
// told: its status says so: written by the first replica, found by the others
//
// A definition is served before its status says so, so that a client that waits for the condition finds the resource.

import { createHash } from "node:crypto";
import { definitionFindings } from "@orch/apis";
import { type GroupResource, isReason, metaOf, type ResourceDefinition, sameJson } from "@orch/machinery";
import { type Clock, errorFields, type Log } from "@orch/platform";
import {
  type Entry,
  type EventLoopYielder,
  follow,
  type ResourceStorage,
  type Watcher,
  type WriteContext,
} from "@orch/registry";
import { type JsonObject, writeJson } from "@orch/schema";
import { type AcceptedNames, resolveNames } from "./accepted-names";
import { type CompileParts, compileDefinition, type ServingState } from "./compile-definition";
import { type Definition, isTerminating, isTrue, isUnchanged, type Names, readDefinition, uidOf } from "./definition";
import { cleanUp } from "./definition-cleanup";
import { completeStatus } from "./definition-status";
import { type DefinitionChange, DefinitionWriter, statusOf } from "./definition-writer";
import type { Costs } from "./recent-costs";
import type { ResourceHost } from "./resource-host";
import { WriteQueue } from "./write-queue";

export interface ServedDefinitionsParts extends CompileParts {
  /** Storage of custom resource definitions. */
  readonly definitions: ResourceStorage;
  readonly host: ResourceHost;
  readonly loop: EventLoopYielder;
  readonly log: Log;
  /** Write context of the server's own writes. */
  readonly write: WriteContext;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
}

/** State of a definition on this replica. */
interface Known {
  entry: Entry;
  readonly name: string;
  group: string;
  /** Accepted names, not available to others of the group. */
  names: Names | undefined;
  hasConflict: boolean;
  served: Served | undefined;
  cleaning: AbortController | undefined;
  /** The last status write, while it is running. */
  writing: Promise<void> | undefined;
}

interface Served {
  readonly uid: string;
  /** The key is unchanged while these facts are unchanged. */
  readonly facts: string;
  /** Hash of everything that the resource is compiled from. */
  readonly key: string;
  readonly definition: ResourceDefinition;
  readonly state: ServingState;
  /** Undefined when another resource has the path. */
  storage: ResourceStorage | undefined;
}

const EVENTS = 100;
/** Number of resources installed at once: each installation builds a new routing table. */
const BATCH = 50;
const RETRY_MS = 1000;

export class ServedDefinitions {
  private readonly known = new Map<string, Known>();
  private readonly groups = new Map<string, Set<Known>>();
  /** Names of the definitions to handle, in order. */
  private readonly due = new Set<string>();
  private readonly coming = new Set<Known>();
  private watcher: Watcher | undefined;
  private working: Promise<void> | undefined;
  private readonly ending = new AbortController();
  private readonly writes = new WriteQueue(this.ending.signal);

  private readonly writer: DefinitionWriter;

  constructor(private readonly parts: ServedDefinitionsParts) {
    const { definitions, write, loop, host } = parts;
    this.writer = new DefinitionWriter({ definitions, write, loop, patchElsewhere: host.patchStatus });
  }

  /** Resolves when all existing definitions are served. */
  async start(): Promise<void> {
    const { definitions } = this.parts;
    const watcher = await follow(definitions);
    const former = this.watcher;
    this.watcher = watcher;
    former?.close();
    const gone = new Set(this.known.keys());
    const entries: Entry[] = [];
    this.take(watcher, (entry, removed) => {
      if (removed) return;
      gone.delete(entry.name);
      entries.push(entry);
    });
    for (const name of gone) this.forget(name);
    for (const entry of entries.sort((one, other) => one.resourceVersion - other.resourceVersion)) this.note(entry);
    watcher.onReadable(() => this.read(watcher));
    this.read(watcher);
    await this.work();
  }

  /** Returns the source of a served resource, for another thread that serves the same resource. */
  sourceOf({ group, resource }: GroupResource): DefinitionSource | undefined {
    const { served, entry, names } = this.known.get(`${resource}.${group}`) ?? {};
    if (served?.storage === undefined || entry === undefined || names === undefined) return undefined;
    const { key, state } = served;
    return { key, terminating: state.terminating, read: () => ({ definition: this.definitionOf(entry), names }) };
  }

  /** Resolves when all definitions in the cache have been handled. */
  async caughtUp(): Promise<void> {
    while (this.working !== undefined && !this.closed) await this.working.catch(() => undefined);
  }

  /** Resolves when one definition has been handled and its status is written. @throws errors of the cache */
  async settled(name: string): Promise<void> {
    for (;;) {
      await this.caughtUp();
      const writing = this.known.get(name)?.writing;
      if (writing === undefined || this.closed) return;
      await writing;
      // The write returns as a watch event, which is handled once more.
      await this.parts.definitions.caughtUp?.();
    }
  }

  /** Yields the state of each definition, ordered by name. */
  *overview(): Generator<DefinitionOverview> {
    const { costs } = this.parts;
    for (const [name, { entry, served }] of [...this.known].sort(([one], [other]) => (one < other ? -1 : 1))) {
      const status = statusOf(entry, () => this.definitionOf(entry) as unknown as JsonObject);
      const { storedVersions } = status as { readonly storedVersions?: readonly string[] };
      yield {
        name,
        served: served?.definition,
        storage: served?.storage,
        storedVersions: storedVersions ?? [],
        costs: costs?.of(name),
      };
    }
  }

  /** Returns the number of definitions, and of those served. */
  counts(): { readonly known: number; readonly served: number } {
    let served = 0;
    for (const each of this.known.values()) if (each.served?.storage !== undefined) served += 1;
    return { known: this.known.size, served };
  }

  close(): void {
    this.ending.abort();
    this.watcher?.close();
    for (const { cleaning } of this.known.values()) cleaning?.abort();
    this.parts.converterFor.close?.();
  }

  private get closed(): boolean {
    return this.ending.signal.aborted;
  }

  private definitionOf(entry: Entry): Definition {
    return readDefinition(entry, this.parts.definitions.definition);
  }

  private take(watcher: Watcher, each: (entry: Entry, removed: boolean) => void): void {
    for (let events = watcher.take(EVENTS); events.length > 0; events = watcher.take(EVENTS)) {
      for (const event of events) if ("entry" in event) each(event.entry, event.type === "DELETED");
    }
  }

  private read(watcher: Watcher): void {
    if (this.closed || watcher !== this.watcher) return;
    this.take(watcher, (entry, removed) => (removed ? this.forget(entry.name) : this.note(entry)));
    if (watcher.ended !== undefined) this.restart();
    this.work().catch((error: unknown) =>
      this.parts.log.error("cannot watch custom resource definitions", errorFields(error)),
    );
  }

  /** Restarts from the current state after the watch ended, as when the cache was filled again. */
  private restart(): void {
    this.watcher = undefined;
    this.start().catch(async () => {
      await this.parts.pause(RETRY_MS);
      if (!this.closed) this.restart();
    });
  }

  private note(entry: Entry): void {
    const known = this.known.get(entry.name);
    if (known === undefined) {
      const made = { entry, name: entry.name, group: "", names: undefined, hasConflict: false, served: undefined };
      this.known.set(entry.name, { ...made, cleaning: undefined, writing: undefined });
    } else known.entry = entry;
    // Moves the name behind those queued before.
    this.due.delete(entry.name);
    this.due.add(entry.name);
  }

  private forget(name: string): void {
    const known = this.known.get(name);
    if (known === undefined) return;
    this.known.delete(name);
    this.parts.costs?.forget(name);
    this.due.delete(name);
    this.groups.get(known.group)?.delete(known);
    this.stopServing(known);
    this.wakeConflicting(known);
  }

  private stopServing(known: Known): void {
    known.cleaning?.abort();
    known.cleaning = undefined;
    const { served } = known;
    known.served = undefined;
    if (served?.storage !== undefined) this.parts.host.remove(served.definition);
  }

  /** Handles conflicting definitions again, because names have become free. */
  private wakeConflicting(by: Known): void {
    for (const each of this.groups.get(by.group) ?? []) if (each !== by && each.hasConflict) this.due.add(each.name);
  }

  /** Handles queued definitions, a few in each turn of the event loop. */
  private work(): Promise<void> {
    this.working ??= this.workThrough().finally(() => {
      this.working = undefined;
      if (this.due.size > 0 && !this.closed) void this.work();
    });
    return this.working;
  }

  private async workThrough(): Promise<void> {
    const { loop } = this.parts;
    while (!this.closed) {
      const [name] = this.due;
      if (name === undefined && this.coming.size === 0) return;
      if (loop.isOver) await loop.next();
      if (name === undefined || this.coming.size >= BATCH) this.installComing();
      else {
        this.due.delete(name);
        const known = this.known.get(name);
        if (known === undefined) continue;
        for (const _ of this.looking(known)) if (loop.isOver) await loop.next();
      }
    }
  }

  /**
   * Handles one definition, in steps: it may have megabytes. A definition that changes meanwhile is queued again, and
   * the handling stops.
   */
  private *looking(known: Known): Generator<undefined, void> {
    const { entry } = known;
    const isStale = () => known.entry !== entry || this.known.get(known.name) !== known;
    try {
      const definition = this.definitionOf(entry);
      yield;
      if (isStale()) return;
      this.place(known, definition.spec.group);
      const names = this.settle(known, definition);
      const isFreed = known.names !== undefined && !sameJson(known.names as JsonObject, names.accepted as JsonObject);
      known.names = names.accepted;
      known.hasConflict = names.condition.status !== "True";
      if (isFreed) this.wakeConflicting(known);
      const isOwn = isTrue(definition, "Established") || isTrue(definition, "NamesAccepted");
      if (isOwn) yield* this.serving(known, { definition, names: names.accepted, isStale });
      if (isStale()) return;
      // A resource that waits for its installation is handled again after it.
      if (!this.coming.has(known)) this.settleStatus(known, definition, names);
      if (known.served !== undefined) known.served.state.terminating = isTerminating(definition);
      if (isTerminating(definition)) this.clean(known, definition);
    } catch (error) {
      this.parts.log.error("a custom resource definition is not served", {
        definition: known.name,
        ...errorFields(error),
      });
    }
  }

  private place(known: Known, group: string): void {
    if (known.group !== group) this.groups.get(known.group)?.delete(known);
    known.group = group;
    const members = this.groups.get(group) ?? new Set();
    this.groups.set(group, members.add(known));
  }

  private settle(known: Known, { spec, status }: Definition): AcceptedNames {
    const others: Names[] = [];
    for (const each of this.groups.get(known.group) ?? []) if (each !== known && each.names) others.push(each.names);
    return resolveNames(spec.names, status?.acceptedNames, others);
  }

  private *serving(
    known: Known,
    { definition, names, isStale }: { definition: Definition; names: Names; isStale: () => boolean },
  ): Generator<undefined, void> {
    const uid = uidOf(definition);
    if (known.served !== undefined && known.served.uid !== uid) this.stopServing(known);
    const facts = factsOf(definition, names);
    if (known.served?.facts === facts) return;
    const key = keyOf(definition, names);
    if (known.served?.key === key) return;
    yield;
    if (isStale()) return;
    // The deletion of objects continues with the new resource.
    known.cleaning?.abort();
    known.cleaning = undefined;
    const state = known.served?.state ?? { terminating: isTerminating(definition) };
    const compiled = compileDefinition(definition, names, state, { ...this.parts, contentKey: key });
    known.served = { uid, facts, key, definition: compiled, state, storage: known.served?.storage };
    this.coming.add(known);
    yield;
  }

  private installComing(): void {
    const coming = [...this.coming].filter(({ served, name }) => served !== undefined && this.known.has(name));
    this.coming.clear();
    const storages = this.installed(coming);
    coming.forEach((known, at) => {
      const storage = storages[at];
      (known.served as Served).storage = storage;
      if (storage === undefined)
        this.parts.log.error("a custom resource definition is hidden by a built-in resource", {
          definition: known.name,
        });
      this.due.add(known.name);
    });
  }

  /** Installs resources. One that fails does not affect the others. */
  private installed(coming: readonly Known[]): readonly (ResourceStorage | undefined)[] {
    const { host, log } = this.parts;
    const definitions = coming.map(({ served }) => (served as Served).definition);
    try {
      return host.install(definitions);
    } catch (error) {
      if (coming.length > 1) return coming.flatMap((known) => this.installed([known]));
      log.error("a custom resource definition is not served", { definition: coming[0]?.name, ...errorFields(error) });
      return [undefined];
    }
  }

  private settleStatus(known: Known, definition: Definition, names: AcceptedNames): void {
    const { vocabulary, clock } = this.parts;
    const findings = definitionFindings(definition as unknown as JsonObject, () => known.entry.inHub(), vocabulary);
    const isServed = known.served?.storage !== undefined;
    const settled = (status: JsonObject) =>
      completeStatus(status, { names, findings, isServed, vocabulary, nowMs: clock.now() });
    const status = statusOf(known.entry, () => definition as unknown as JsonObject);
    if (settled(status) === status) return;
    // The change is skipped when the definition has changed by then.
    const uid = uidOf(definition);
    const { generation = 1 } = metaOf(definition as unknown as JsonObject);
    const change: DefinitionChange = (own) =>
      own.uid === uid && own.generation === Number(generation) ? { status: settled(own.status) } : {};
    this.enqueue(known, () => this.writer.change(known.name, change));
  }

  private enqueue(known: Known, write: () => Promise<void>): void {
    const writing = this.writes.add(async () => {
      try {
        await write();
      } catch (error) {
        if (this.closed || isReason(error, "NotFound")) return;
        // Another replica wrote first. Its write reaches this replica through the watch.
        if (!isReason(error, "Conflict"))
          this.parts.log.warn("cannot update the status of a custom resource definition", {
            definition: known.name,
            ...errorFields(error),
          });
        await this.parts.pause(RETRY_MS);
        this.lookAgain(known);
      }
    });
    const written = writing.then(() => {
      if (known.writing === written) known.writing = undefined;
    });
    known.writing = written;
  }

  private lookAgain(known: Known): void {
    if (this.closed || !this.known.has(known.name)) return;
    this.due.add(known.name);
    void this.work();
  }

  private clean(known: Known, definition: Definition): void {
    const finalizer = this.parts.vocabulary.finalizers.customresourcecleanupApiextensions;
    const { finalizers = [] } = metaOf(definition as unknown as JsonObject);
    if (!finalizers.includes(finalizer) || known.cleaning !== undefined || this.coming.has(known)) return;
    const cleaning = new AbortController();
    known.cleaning = cleaning;
    cleanUp({ ...this.parts, name: known.name, served: known.served, writer: this.writer, signal: cleaning.signal })
      .catch((error: unknown) => {
        if (cleaning.signal.aborted || isReason(error, "NotFound")) return undefined;
        this.parts.log.warn("cannot delete all objects of a custom resource definition yet", {
          definition: known.name,
          ...errorFields(error),
        });
        return this.parts.pause(RETRY_MS);
      })
      .finally(() => {
        if (known.cleaning !== cleaning) return;
        known.cleaning = undefined;
        this.lookAgain(known);
      });
  }
}

export interface DefinitionOverview {
  readonly name: string;
  /** Undefined when its names are not accepted. */
  readonly served: ResourceDefinition | undefined;
  /** Undefined when it is not served. */
  readonly storage: ResourceStorage | undefined;
  /** `status.storedVersions`. */
  readonly storedVersions: readonly string[];
  /** Undefined when costs are not recorded. */
  readonly costs: Costs | undefined;
}

export interface DefinitionSource {
  /** Changes with the served resource. */
  readonly key: string;
  readonly terminating: boolean;
  /** Returns the input of the compilation. */
  readonly read: () => { readonly definition: Definition; readonly names: Names };
}

/** Returns the facts that decide whether the key is computed again. Every write to a spec increases the generation. */
function factsOf(definition: Definition, names: Names): string {
  const { generation = 1 } = metaOf(definition as unknown as JsonObject);
  return JSON.stringify([uidOf(definition), String(generation), isTerminating(definition), names]);
}

/** Hashes the parts of a definition that determine the served resource. */
function keyOf(definition: Definition, names: Names): string {
  const parts = { uid: uidOf(definition), isUnchanged: isUnchanged(definition), names, spec: definition.spec };
  return createHash("sha256")
    .update(writeJson(parts as unknown as JsonObject))
    .digest("base64");
}
