// Follows the definitions in the watch cache, and serves what they define: this is all that a replica needs to know of the others.
//   event      a definition has come, changed or gone; looked at in the order of their revisions, which all replicas share
//   settled    its names are its own: the resource is served from here on
//   told       its status says so: written by whichever replica is first, the others find it written
// A definition is served before its status says that it is, so that who waits for the condition finds it.

import { createHash } from "node:crypto";
import { definitionFindings } from "@orch/apis";
import { type GroupResource, isReason, metaOf, type ResourceDefinition, sameJson } from "@orch/machinery";
import { type Clock, errorFields, type Log } from "@orch/platform";
import {
  type Entry,
  follow,
  type LoopTurns,
  type ResourceStorage,
  type Watcher,
  type WriteContext,
} from "@orch/registry";
import { type JsonObject, writeJson } from "@orch/schema";
import { type SettledNames, settleNames } from "./accepted-names";
import { type CompileParts, compileDefinition, type ServingState } from "./compile-definition";
import { type Definition, isTerminating, isTrue, isUnchanged, type Names, readDefinition, uidOf } from "./definition";
import { cleanUp } from "./definition-cleanup";
import { settledStatus } from "./definition-status";
import { DefinitionWriter, type OwnChange, statusOf } from "./definition-writer";
import type { Costs } from "./recent-costs";
import type { ResourceHost } from "./resource-host";
import { WriteQueue } from "./write-queue";

export interface ServedDefinitionsParts extends CompileParts {
  /** Of the definitions themselves. */
  readonly definitions: ResourceStorage;
  readonly host: ResourceHost;
  readonly loop: LoopTurns;
  readonly log: Log;
  /** How the server writes of itself. */
  readonly write: WriteContext;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
}

/** A definition as this replica knows it. */
interface Known {
  entry: Entry;
  readonly name: string;
  group: string;
  /** What it may call its own; what others of its group cannot have. */
  names: Names | undefined;
  hasConflict: boolean;
  served: Served | undefined;
  cleaning: AbortController | undefined;
  /** The last write of what the server says of it, while it is under way. */
  writing: Promise<void> | undefined;
}

interface Served {
  readonly uid: string;
  /** While they are the same, so is the key. */
  readonly facts: string;
  /** Of all that the resource is made from. */
  readonly key: string;
  readonly definition: ResourceDefinition;
  readonly state: ServingState;
  /** Undefined where a path is another resource's. */
  storage: ResourceStorage | undefined;
}

const EVENTS = 100;
/** Installed in one go: each makes the table of routes anew. */
const BATCH = 50;
const RETRY_MS = 1000;

export class ServedDefinitions {
  private readonly known = new Map<string, Known>();
  private readonly groups = new Map<string, Set<Known>>();
  /** Names of definitions to look at, in order. */
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

  /** Resolves once all that is defined is served. */
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

  /** Of a resource that is served here, for one who serves the same elsewhere. */
  sourceOf({ group, resource }: GroupResource): DefinitionSource | undefined {
    const { served, entry, names } = this.known.get(`${resource}.${group}`) ?? {};
    if (served?.storage === undefined || entry === undefined || names === undefined) return undefined;
    const { key, state } = served;
    return { key, terminating: state.terminating, read: () => ({ definition: this.definitionOf(entry), names }) };
  }

  /** Resolves once all that the cache has of definitions is served, or is found to be not. */
  async caughtUp(): Promise<void> {
    while (this.working !== undefined && !this.closed) await this.working.catch(() => undefined);
  }

  /**
   * Resolves once what the cache has of one definition is served, and its status says so.
   * @throws what the cache says
   */
  async settled(name: string): Promise<void> {
    for (;;) {
      await this.caughtUp();
      const writing = this.known.get(name)?.writing;
      if (writing === undefined || this.closed) return;
      await writing;
      // What was written comes back as a change, and is looked at once more.
      await this.parts.definitions.caughtUp?.();
    }
  }

  /** What is known of each definition, in the order of their names. */
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

  /** How many there are, and how many of them are served. */
  counts(): { readonly known: number; readonly served: number } {
    let served = 0;
    for (const each of this.known.values()) if (each.served?.storage !== undefined) served += 1;
    return { known: this.known.size, served };
  }

  close(): void {
    this.ending.abort();
    this.watcher?.close();
    for (const { cleaning } of this.known.values()) cleaning?.abort();
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
    this.work().catch((error: unknown) => this.parts.log.error("definitions are not followed", errorFields(error)));
  }

  /** The watch has ended, because the cache was filled anew: begin again from its state. */
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
    // Behind those that were there before.
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

  /** Names have become free. */
  private wakeConflicting(by: Known): void {
    for (const each of this.groups.get(by.group) ?? []) if (each !== by && each.hasConflict) this.due.add(each.name);
  }

  /** Looks at what is due, a few in each turn of the loop. */
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

  /** In steps: a definition may have megabytes. What has changed meanwhile is due again, and left alone until then. */
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
      // What is coming is looked at once more when it is there.
      if (!this.coming.has(known)) this.settleStatus(known, definition, names);
      if (known.served !== undefined) known.served.state.terminating = isTerminating(definition);
      if (isTerminating(definition)) this.clean(known, definition);
    } catch (error) {
      this.parts.log.error("a definition is not served", { definition: known.name, ...errorFields(error) });
    }
  }

  private place(known: Known, group: string): void {
    if (known.group !== group) this.groups.get(known.group)?.delete(known);
    known.group = group;
    const members = this.groups.get(group) ?? new Set();
    this.groups.set(group, members.add(known));
  }

  private settle(known: Known, { spec, status }: Definition): SettledNames {
    const others: Names[] = [];
    for (const each of this.groups.get(known.group) ?? []) if (each !== known && each.names) others.push(each.names);
    return settleNames(spec.names, status?.acceptedNames, others);
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
    // What deletes its objects goes on with what is served then.
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
        this.parts.log.error("a definition is hidden by a resource of the server", { definition: known.name });
      this.due.add(known.name);
    });
  }

  /** One that cannot be served keeps no other from it. */
  private installed(coming: readonly Known[]): readonly (ResourceStorage | undefined)[] {
    const { host, log } = this.parts;
    const definitions = coming.map(({ served }) => (served as Served).definition);
    try {
      return host.install(definitions);
    } catch (error) {
      if (coming.length > 1) return coming.flatMap((known) => this.installed([known]));
      log.error("a definition is not served", { definition: coming[0]?.name, ...errorFields(error) });
      return [undefined];
    }
  }

  private settleStatus(known: Known, definition: Definition, names: SettledNames): void {
    const { vocabulary, clock } = this.parts;
    const findings = definitionFindings(definition as unknown as JsonObject, () => known.entry.inHub(), vocabulary);
    const isServed = known.served?.storage !== undefined;
    const settled = (status: JsonObject) =>
      settledStatus(status, { names, findings, isServed, vocabulary, nowMs: clock.now() });
    const status = statusOf(known.entry, () => definition as unknown as JsonObject);
    if (settled(status) === status) return;
    // Unless the definition has become another by then.
    const uid = uidOf(definition);
    const { generation = 1 } = metaOf(definition as unknown as JsonObject);
    const change: OwnChange = (own) =>
      own.uid === uid && own.generation === Number(generation) ? { status: settled(own.status) } : {};
    this.enqueue(known, () => this.writer.change(known.name, change));
  }

  private enqueue(known: Known, write: () => Promise<void>): void {
    const writing = this.writes.add(async () => {
      try {
        await write();
      } catch (error) {
        if (this.closed || isReason(error, "NotFound")) return;
        // Another has written, and what it has written is on its way.
        if (!isReason(error, "Conflict"))
          this.parts.log.warn("the status of a definition was not written", {
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
        this.parts.log.warn("the objects of a definition are not all deleted yet", {
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
  /** Undefined where its names are not its own. */
  readonly served: ResourceDefinition | undefined;
  /** Undefined where it is not served. */
  readonly storage: ResourceStorage | undefined;
  /** As its status says. */
  readonly storedVersions: readonly string[];
  /** Undefined where nobody counts. */
  readonly costs: Costs | undefined;
}

export interface DefinitionSource {
  /** Changes with what is served. */
  readonly key: string;
  readonly terminating: boolean;
  /** What it is compiled from. */
  readonly read: () => { readonly definition: Definition; readonly names: Names };
}

/** Whatever is written to a spec counts the generation up. */
function factsOf(definition: Definition, names: Names): string {
  const { generation = 1 } = metaOf(definition as unknown as JsonObject);
  return JSON.stringify([uidOf(definition), String(generation), isTerminating(definition), names]);
}

/** What else a definition says does not change what is served. */
function keyOf(definition: Definition, names: Names): string {
  const parts = { uid: uidOf(definition), isUnchanged: isUnchanged(definition), names, spec: definition.spec };
  return createHash("sha256")
    .update(writeJson(parts as unknown as JsonObject))
    .digest("base64");
}
