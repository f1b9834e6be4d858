// Watches the metadata of every collection whose objects can be deleted, once for all controllers that ask. Discovery is
// repeated periodically, because aggregated API servers come and go, and soon after a custom resource definition has
// changed. Source: pkg/controller/garbagecollector/graph_builder.go.
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type Client,
  type DiscoveredResource,
  Informer,
  type ListSource,
  ResourceMapper,
  selected,
} from "@orch/client";
import { apiVersionText, metaOf } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import { groupName, type JsonObject, vocabularyOf } from "@orch/schema";
import { currentVersions } from "../deprecated-types";
import type { Identity } from "./identity";

const LOOK_AGAIN_MS = 30_000;
/** Time from the change of a custom resource definition to discovery: several are often installed together. */
const LOOK_SOON_MS = 2_000;
const OBSERVED_IN_A_TURN = 500;
const NEEDED_VERBS = ["delete", "list", "watch"];

export interface ObjectEvents {
  /**
   * @param object the parts of the metadata that `onlyObservedParts` keeps
   * @returns a promise when the change takes several turns of the event loop
   */
  observed(identity: Identity, object: JsonObject): void | Promise<void>;
  gone(uid: string): void | Promise<void>;
  /** Called after each discovery. */
  rediscovered?(): void;
}

const METADATA = { part: "metadata", dropsManagedFields: true } as const;

interface Monitor {
  /** The version that is watched. It changes when the server prefers another one or stops serving this one. */
  type: DiscoveredResource;
  readonly informer: Informer;
  readonly stop: AbortController;
  done: Promise<void>;
}

export class ObjectMonitors {
  private readonly monitors = new Map<string, Monitor>();
  private readonly subscribers = new Set<ObjectEvents>();
  private pending: Promise<unknown> = Promise.resolve();
  private announce: () => void = () => {};
  private readonly discovered = new Promise<void>((resolve) => {
    this.announce = resolve;
  });
  private running: Promise<void> | undefined;
  /** Ends the pause before the next discovery. */
  private lookSoon: () => void = () => {};

  constructor(
    private readonly client: Client,
    /** Release of the server. */
    private readonly release: string,
    /** Annotations that are kept of each object. */
    private readonly annotations: readonly string[],
  ) {}

  /** Reports the known objects and all changes from now on. Call `run` too. */
  subscribe(events: ObjectEvents): void {
    this.subscribers.add(events);
    for (const monitor of this.monitors.values()) this.report(monitor, events);
    this.awaitLists();
  }

  /** Repeats discovery until the signal is aborted. A second call waits for the first. */
  run(signal: AbortSignal): Promise<void> {
    this.running ??= this.runOnce(signal);
    return this.running;
  }

  /** Resolves once the first collections are watched. */
  ready(): Promise<void> {
    return this.discovered;
  }

  private async runOnce(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const soon = new AbortController();
      this.lookSoon = () => soon.abort();
      const found = await this.discover();
      if (found !== undefined && !signal.aborted) {
        this.follow(found);
        for (const { rediscovered } of this.subscribers) rediscovered?.();
        this.announce();
      }
      const { clock } = this.client;
      const pauseMs = found === undefined ? 1_000 : LOOK_AGAIN_MS;
      await pauseUnlessAborted(clock, pauseMs, AbortSignal.any([signal, soon.signal]));
      if (soon.signal.aborted) await pauseUnlessAborted(clock, LOOK_SOON_MS, signal);
    }
    this.announce();
    for (const { stop } of this.monitors.values()) stop.abort(signal.reason);
    await Promise.all([...this.monitors.values()].map(({ done }) => done));
  }

  /** Resolves when the initial lists of all watched collections have been processed. */
  async synced(): Promise<void> {
    for (let waited: unknown; waited !== this.pending; ) {
      waited = this.pending;
      await this.pending;
    }
  }

  /** @returns undefined when discovery fails: the existing watches continue */
  private async discover(): Promise<ReadonlyMap<string, DiscoveredResource> | undefined> {
    try {
      const { resources, failures } = await new ResourceMapper(this.client).discover();
      const collections = watchable(
        currentVersions(resources.filter(isWatchable), { vocabulary: this.client.vocabulary, release: this.release }),
        eventGroups(this.client),
      );
      if (failures.length > 0) {
        const failing = new Set(failures.map(({ groupVersion }) => groupVersion.split("/")[0]));
        for (const [id, { type }] of this.monitors) if (failing.has(type.group)) collections.set(id, type);
      }
      return collections.size === 0 ? undefined : collections;
    } catch (error) {
      this.client.log.warn("cannot discover the server's resources", { error: String(error) });
      return undefined;
    }
  }

  private follow(found: ReadonlyMap<string, DiscoveredResource>): void {
    let changed = false;
    for (const [id, monitor] of this.monitors) {
      if (found.has(id)) continue;
      monitor.stop.abort(new Error("the resource is no longer served"));
      this.monitors.delete(id);
      changed = true;
    }
    for (const [id, type] of found) {
      const known = this.monitors.get(id);
      if (known !== undefined) {
        if (known.type.version !== type.version) void this.readAs(known, type);
        continue;
      }
      this.monitors.set(id, this.watch(type));
      changed = true;
    }
    if (changed) this.awaitLists();
  }

  private awaitLists(): void {
    const all = [...this.monitors.values()];
    this.pending = Promise.all(all.map(({ informer, stop }) => informer.synced(stop.signal).catch(() => undefined)));
  }

  /**
   * Switches a monitor to another version. The next list or watch uses it. Unchanged objects are accessed in that
   * version too: they are observed again, some in each turn of the event loop, as the store has them in that turn.
   */
  private async readAs(monitor: Monitor, type: DiscoveredResource): Promise<void> {
    monitor.type = type;
    let observed = 0;
    for (const object of monitor.informer.store.values()) {
      for (const events of this.subscribers) await events.observed(identityOf(monitor.type, object), object);
      observed += 1;
      if (observed % OBSERVED_IN_A_TURN === 0) await nextTurn();
    }
  }

  private watch(type: DiscoveredResource): Monitor {
    const { follower } = this.client;
    const source = (): ListSource<JsonObject> => selected(follower.resource<JsonObject>(monitor.type), METADATA);
    const current = {
      list: (options) => source().list(options),
      watch: (options) => source().watch(options),
    } satisfies ListSource<JsonObject>;
    const name = `${type.resource}.${type.group}`;
    const transform = (object: JsonObject) => onlyObservedParts(object, this.annotations);
    const informer = new Informer<JsonObject>(current, { name, transform }, this.client);
    const stop = new AbortController();
    const monitor: Monitor = { type, informer, stop, done: Promise.resolve() };
    for (const events of this.subscribers) this.report(monitor, events);
    if (type.group === this.definitionGroup && type.resource === "customresourcedefinitions") {
      const look = () => this.lookSoon();
      informer.addHandler({ added: look, updated: look, deleted: look });
    }
    monitor.done = informer.run(stop.signal);
    return monitor;
  }

  private report(monitor: Monitor, events: ObjectEvents): void {
    const tell = (object: JsonObject) => events.observed(identityOf(monitor.type, object), object);
    monitor.informer.addHandler({
      added: tell,
      updated(before, after) {
        const uid = metaOf(before).uid ?? "";
        if (uid === metaOf(after).uid) return tell(after);
        const gone = events.gone(uid); // recreated while no watch was open
        return gone === undefined ? tell(after) : gone.then(() => tell(after));
      },
      deleted: (object) => events.gone(metaOf(object).uid ?? ""),
    });
  }

  private get definitionGroup(): string {
    return groupName(vocabularyOf(this.client.vocabulary), "apiextensions");
  }
}

/** Returns the API groups of events, which are excluded: events own nothing and are numerous. */
function eventGroups(client: Client): readonly string[] {
  return ["", groupName(vocabularyOf(client.vocabulary), "events")];
}

const isWatchable = ({ verbs }: DiscoveredResource): boolean => NEEDED_VERBS.every((verb) => verbs.includes(verb));

/** Returns the collections by resource and group. */
function watchable(
  resources: readonly DiscoveredResource[],
  eventsIn: readonly string[],
): Map<string, DiscoveredResource> {
  const watched = resources.filter(({ resource, group }) => resource !== "events" || !eventsIn.includes(group));
  return new Map(watched.map((each) => [`${each.resource}.${each.group}`, each]));
}

function identityOf(type: DiscoveredResource, object: JsonObject): Identity {
  const { name = "", namespace = "", uid = "" } = metaOf(object);
  return { apiVersion: apiVersionText(type), kind: type.kind, name, namespace, uid };
}

/** Keeps the metadata that controllers of all kinds need, so that the memory for all objects of a cluster stays small. */
function onlyObservedParts(object: JsonObject, annotations: readonly string[]): JsonObject {
  const metadata = metaOf(object);
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences } = metadata;
  const members = { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences };
  const kept = annotations.filter((key) => metadata.annotations?.[key] !== undefined);
  const expiry = kept.length > 0 && {
    creationTimestamp: metadata.creationTimestamp,
    annotations: Object.fromEntries(kept.map((key) => [key, metadata.annotations?.[key]])),
  };
  const present = Object.entries({ ...members, ...expiry }).filter(([, value]) => value !== undefined);
  return { metadata: Object.fromEntries(present) as JsonObject };
}
