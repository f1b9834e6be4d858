// Caches of the objects that quotas count, one for each resource that a quota names. Resources come and go: discovery
// is repeated periodically. Source: pkg/controller/resourcequota/resource_quota_monitor.go.
import type { QuotaEvaluator } from "@orch/apis";
import { builtInTypes, type Client, type DiscoveredResource, Informer, ResourceMapper, selected } from "@orch/client";
import { type GroupResource, namespaceOf } from "@orch/machinery";
import { pauseUnlessAborted } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { currentVersions } from "../../framework/deprecated-types";

const LOOK_AGAIN_MS = 30_000;
/** Delay that combines the creation of many definitions. */
const GATHER_MS = 200;
const BY_POD = "pod";
const METADATA = { part: "metadata", dropsManagedFields: true } as const;
const NEEDED_VERBS = ["create", "list", "watch", "delete"];

export interface CountedEvents {
  /** Called when the usage in a namespace may have changed. */
  changed(evaluator: QuotaEvaluator, namespace: string): void;
  /** Called when all objects of the resource are cached, or when it is no longer served. */
  known(evaluator: QuotaEvaluator): void;
}

export type CountedView =
  /** The server does not have the resource. */
  | { readonly kind: "unserved" }
  /**
   * The cache is not complete yet.
   * @param sinceMs on the clock's elapsed time
   */
  | { readonly kind: "listing"; readonly sinceMs: number }
  /** @param upTo resource version that the cache has reached */
  | {
      readonly kind: "known";
      readonly upTo: number;
      in(namespace: string): readonly JsonObject[];
      find(namespace: string, name: string): JsonObject | undefined;
      /** Returns the objects whose usage that of a pod may include. */
      includedBy(podUid: string): readonly JsonObject[];
    };

interface Followed {
  readonly evaluator: QuotaEvaluator;
  readonly type: DiscoveredResource;
  readonly informer: Informer<JsonObject>;
  readonly sinceMs: number;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

const keyOf = ({ group, resource }: GroupResource): string => `${resource}.${group}`;

export class CountedObjects {
  private served: ReadonlyMap<string, DiscoveredResource> | undefined;
  private readonly followed = new Map<string, Followed>();
  private readonly wanted = new Map<string, QuotaEvaluator>();
  private definitions: Informer<object> | undefined;
  private isHurried = false;
  private wake: () => void = () => {};

  /** @param neededNow returns the evaluators of all resources that quotas name */
  constructor(
    private readonly client: Client,
    private readonly events: CountedEvents,
    private readonly neededNow: () => Iterable<QuotaEvaluator>,
    private readonly release: string,
  ) {}

  /** Repeats discovery until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.discover();
      if (signal.aborted) break;
      this.forgetUnneeded();
      for (const evaluator of this.wanted.values()) this.follow(evaluator);
      if ([...this.wanted.keys()].some((key) => !this.followed.has(key))) this.awaitDefinitions(signal);
      await this.pause(signal);
    }
    await this.definitions?.run(signal);
    for (const { stop } of this.followed.values()) stop.abort(signal.reason);
    await Promise.all([...this.followed.values()].map(({ done }) => done));
  }

  /** Returns the view of a resource. The first call starts the cache. */
  view(evaluator: QuotaEvaluator): CountedView {
    const key = keyOf(evaluator.resource);
    if (!this.wanted.has(key)) this.want(key, evaluator);
    const found = this.followed.get(key);
    if (found === undefined) {
      return this.served === undefined
        ? { kind: "listing", sinceMs: this.client.clock.elapsed() }
        : { kind: "unserved" };
    }
    const { informer, sinceMs } = found;
    if (!informer.hasSynced) return { kind: "listing", sinceMs };
    return {
      kind: "known",
      upTo: Number(informer.resourceVersion),
      in: (namespace) => informer.store.byIndex("namespace", namespace),
      find: (namespace, name) => informer.store.get(`${namespace}/${name}`),
      includedBy: (uid) => (evaluator.includedBy === undefined ? [] : informer.store.byIndex(BY_POD, uid)),
    };
  }

  /** Watches custom resource definitions while a quota names a resource that is not served. */
  private awaitDefinitions(signal: AbortSignal): void {
    if (this.definitions !== undefined) return;
    const { customResourceDefinitions } = builtInTypes(this.client.vocabulary);
    const source = selected<object>(this.client.follower.resource(customResourceDefinitions), METADATA);
    const transform = (definition: object) => ({ metadata: (definition as JsonObject)["metadata"] });
    this.definitions = new Informer<object>(
      source,
      { name: customResourceDefinitions.resource, transform },
      this.client,
    );
    const look = () => this.hurry();
    this.definitions.addHandler({ added: look, updated: look, deleted: look });
    void this.definitions.run(signal);
  }

  private hurry(): void {
    this.isHurried = true;
    this.wake();
  }

  private want(key: string, evaluator: QuotaEvaluator): void {
    this.wanted.set(key, evaluator);
    this.follow(evaluator);
    if (!this.followed.has(key)) this.hurry();
  }

  private forgetUnneeded(): void {
    const needed = new Set([...this.neededNow()].map(({ resource }) => keyOf(resource)));
    for (const key of [...this.wanted.keys()]) if (!needed.has(key)) this.wanted.delete(key);
    for (const [key, { evaluator, type, stop }] of this.followed) {
      const now = this.served?.get(key);
      if (this.wanted.has(key) && now?.version === type.version) continue;
      stop.abort(new Error("its objects are no longer counted"));
      this.followed.delete(key);
      if (now === undefined) this.events.known(evaluator);
    }
  }

  private follow(evaluator: QuotaEvaluator): void {
    const key = keyOf(evaluator.resource);
    const type = this.served?.get(key);
    if (type === undefined || this.followed.has(key)) return;
    const part = evaluator.readsMetadataAlone === true ? METADATA : { dropsManagedFields: true };
    const source = selected(this.client.follower.resource(type), part);
    const transform = (object: JsonObject): JsonObject => evaluator.essence(object);
    const informer = new Informer<JsonObject>(source, { name: key, transform }, this.client);
    if (evaluator.includedBy !== undefined) {
      informer.addIndex(BY_POD, (object) => {
        const pod = evaluator.includedBy?.(object);
        return pod === undefined ? [] : [pod.uid];
      });
    }
    const { events } = this;
    informer.addHandler({
      updated: (before, after) => {
        if (mayUseOtherwise(evaluator, before, after)) events.changed(evaluator, namespaceOf(after));
      },
      deleted: (object) => events.changed(evaluator, namespaceOf(object)),
    });
    const stop = new AbortController();
    const sinceMs = this.client.clock.elapsed();
    this.followed.set(key, { evaluator, type, informer, sinceMs, stop, done: informer.run(stop.signal) });
    informer.synced(stop.signal).then(
      () => events.known(evaluator),
      () => {},
    );
  }

  /** Discovers the served resources. Groups that fail keep their previous state. */
  private async discover(): Promise<void> {
    try {
      const { resources, failures } = await new ResourceMapper(this.client).discover();
      const served = countable(resources, { vocabulary: this.client.vocabulary, release: this.release });
      const failing = new Set(failures.map(({ groupVersion }) => groupVersion.split("/")[0]));
      for (const [key, { type }] of this.followed) if (failing.has(type.group)) served.set(key, type);
      if (served.size > 0) this.served = served;
    } catch (error) {
      this.client.log.warn("cannot discover the server's resources", { error: String(error) });
    }
  }

  private async pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.client;
    const woken = new Promise<void>((resolve) => {
      this.wake = resolve;
    });
    const longest = this.served === undefined ? 1_000 : LOOK_AGAIN_MS;
    if (!this.isHurried) await Promise.race([woken, pauseUnlessAborted(clock, longest, signal)]);
    if (this.isHurried) await pauseUnlessAborted(clock, GATHER_MS, signal);
    this.isHurried = false;
  }
}

/** Returns each resource of each group once. A quota names the group, so that one that is served in two groups is counted in either. */
function countable(
  resources: readonly DiscoveredResource[],
  server: Parameters<typeof currentVersions>[1],
): Map<string, DiscoveredResource> {
  const groups = new Set(resources.map(({ group }) => group));
  const chosen = [...groups].flatMap((name) =>
    currentVersions(
      resources.filter((each) => each.group === name && each.namespaced && hasVerbs(each)),
      server,
    ),
  );
  return new Map(chosen.map((each) => [keyOf(each), each]));
}

const hasVerbs = ({ verbs }: DiscoveredResource): boolean => NEEDED_VERBS.every((verb) => verbs.includes(verb));

/** Returns whether a change may affect the usage. Cached objects contain only the parts that count. */
function mayUseOtherwise({ inScope, chargesUpdates, endsAtMs }: QuotaEvaluator, before: JsonObject, after: JsonObject) {
  if (inScope === undefined && !chargesUpdates && endsAtMs === undefined) return false;
  if (endsAtMs?.(before) !== endsAtMs?.(after)) return true;
  return JSON.stringify([before["spec"], before["status"]]) !== JSON.stringify([after["spec"], after["status"]]);
}
