// Builds the registry: one watch cache over one store, and the verbs of each served resource.

import {
  type Admission,
  badRequest,
  type GroupResource,
  type ItemOrder,
  MOST_RECENT,
  notServed,
  type Randomness,
  type ReadSemantics,
  type ResourceDefinition,
  resourceText,
} from "@orch/machinery";
import { type Clock, EventLoopYielder, type Log, silentLog, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { compressingCodec, type Store } from "@orch/store";
import { History } from "./cache/history";
import type { ResourceCache } from "./cache/resource-cache";
import { WatchCache } from "./cache/watch-cache";
import { ConflictQueue } from "./context/conflict-queue";
import { QuotaLedgers } from "./context/quota/quota-ledgers";
import { pooledRandomness } from "./context/randomness";
import type { RegistryContext, ResourceContext } from "./context/resource-context";
import { RevisionReader } from "./context/revision-reader";
import { SeenAllocations } from "./context/seen-allocations";
import { SharedLeases } from "./context/shared-leases";
import { type HistoryRules, historyTerms } from "./contract/history-rules";
import type { CacheHealth, Registry, RegistryObserver } from "./contract/registry";
import type { ResourceStorage } from "./contract/resource-storage";
import type { ObjectsAtRevision, WatchedPart } from "./contract/several-resources";
import { objectVersions } from "./conversion/object-versions";
import { conversionsOf } from "./conversion/write-conversions";
import { ConsistencyChecks } from "./maintenance/consistency-checks";
import { AllocationRepairer } from "./maintenance/repair-allocations";
import { objectHistory } from "./object-history/object-history";
import { rewriteHistory } from "./object-history/rewrite-history";
import { keySpaceOf, objectPath, type ResourcePath, resourcePath } from "./objects/key-layout";
import { formOfStored, resourceForm } from "./objects/resource-form";
import { StoredEntry } from "./objects/stored-entry";
import { countObjects } from "./read/count-objects";
import { awaitCache, awaitFreshness } from "./read/freshness";
import { get } from "./read/get";
import { list } from "./read/list";
import { outdated } from "./read/outdated";
import { type PartOfWatch, watch, watchTogether } from "./read/watch";
import { positionsOf } from "./snapshots/tree-positions";
import { admitAction } from "./write/admit-action";
import { changeInPlace } from "./write/change-in-place";
import { create, createUnlessPresent } from "./write/create";
import { remove } from "./write/delete";
import { trackFields } from "./write/field-tracking";
import { patch } from "./write/patch";
import { rewrite } from "./write/rewrite";
import { seed } from "./write/seed";
import { update } from "./write/update";
import { patchView, updateView, viewWrite } from "./write/view";
import { WriteAttempt } from "./write/write-step";

export interface RegistryOptions {
  /** The caller closes it, after the registry. */
  readonly store: Store;
  /**
   * Returns the store of a resource that `store` does not hold, and undefined for all others. Each store has revisions
   * and a watch of its own. The caller closes them after the registry.
   */
  readonly storeOf?: (resource: GroupResource) => Store | undefined;
  readonly vocabulary: Vocabulary;
  /** Root of every key. Default: `/registry`. */
  readonly prefix?: string;
  readonly admission?: Admission;
  readonly clock?: Clock;
  /** Shared by all code that works on many objects in this process. Default: a new instance. */
  readonly loop?: EventLoopYielder;
  readonly randomness?: Randomness;
  readonly log?: Log;
  readonly observer?: RegistryObserver;
  /**
   * Default: true. If false, the registry keeps nothing of the store: every read goes to the store, and watches are not
   * possible. Meant for a registry that only writes occasionally, beside another one that follows the store.
   */
  readonly follows?: boolean;
  /** Whether the cache is compared with the store from time to time. Default: false. */
  readonly checksConsistency?: boolean;
  /** Called when the store has been restored to an earlier state and is read again. */
  readonly restored?: () => void;
  /** Default: true. If false, every write drops the managedFields of the object. */
  readonly tracksFields?: boolean;
  /** Whether managedFields also name the subresource (Kubernetes 1.22 and later). Default: true. */
  readonly marksSubresources?: boolean;
  /** Whether deletions keep the finalizers that ask for the garbage collector. Default: true. */
  readonly leavesDependents?: boolean;
  /** Where a server-side apply puts new list items. Default: "applied". */
  readonly itemOrder?: ItemOrder;
  /** Default: no history of objects is kept. */
  readonly historyRules?: HistoryRules;
}

/** Creates a registry and starts its cache. `ready()` resolves when the cache is filled. */
export function createRegistry(options: RegistryOptions): Registry {
  const { store, prefix = "/registry", clock = systemClock, observer = {} } = options;
  const codec = compressingCodec;
  const {
    log = silentLog,
    randomness = pooledRandomness(),
    tracksFields = true,
    marksSubresources = true,
    follows = true,
    leavesDependents = true,
  } = options;
  const { loop = new EventLoopYielder(), itemOrder = "applied" } = options;
  const storeOf = (resource: GroupResource): Store => options.storeOf?.(resource) ?? store;
  /** The served resources by their path. */
  const contexts = new Map<ResourcePath, ResourceContext>();
  const quotaLedgers = new QuotaLedgers({
    storeOf: ({ resource }) => storeOf(resource),
    clock,
    kind: ({ resource: { group, resource } }) => contexts.get(resourcePath(group, resource)),
  });
  const byStore = new Map<Store, RegistryContext>();
  const sharedOver = (over: Store): RegistryContext => {
    const known = byStore.get(over);
    if (known !== undefined) return known;
    const made = makeShared(over);
    byStore.set(over, made);
    return made;
  };
  const makeShared = (over: Store): RegistryContext => {
    const history = new History({ store: over, prefix, clock });
    const restored = () => {
      history.forget();
      options.restored?.();
    };
    return {
      store: over,
      storeOf: options.storeOf && storeOf,
      prefix,
      codec,
      watchCache: new WatchCache({ store: over, prefix, codec, clock, log, observer, follows, restored }),
      revisions: new RevisionReader(over),
      history,
      quotaLedgers,
      leases: new SharedLeases({ store: over, clock }),
      admission: options.admission,
      vocabulary: options.vocabulary,
      clock,
      loop,
      randomness,
      observer,
      tracksFields,
      marksSubresources,
      leavesDependents,
      itemOrder,
      historyRules: options.historyRules,
      peer: ({ group, resource }) => contexts.get(resourcePath(group, resource)),
    };
  };
  const main = sharedOver(store);
  const caches = () => [...byStore.values()].map(({ watchCache }) => watchCache);
  const checks = new ConsistencyChecks({
    ...{ prefix, clock, loop, log },
    stores: () => byStore.values(),
    checked: observer.consistencyChecked,
  });
  if (options.checksConsistency === true && follows) checks.start();
  /** Also of storages that another definition has replaced: requests in progress still use them. */
  const contextsOf = new WeakMap<ResourceStorage, ResourceContext>();
  return {
    resource(definition) {
      const context = contextOf(sharedOver(storeOf(resourceOf(definition))), definition);
      contexts.set(resourcePath(definition.group, definition.plural), context);
      const storage = serve(context);
      contextsOf.set(storage, context);
      return storage;
    },
    watchTogether: async (parts, request, readOptions) =>
      watchTogether(
        inOneStore(parts, (storage) => contextsOf.get(storage)),
        request,
        readOptions,
      ),
    release(definition) {
      const path = resourcePath(definition.group, definition.plural);
      if (contexts.get(path)?.definition === definition) contexts.delete(path);
      sharedOver(storeOf(resourceOf(definition))).watchCache.release(resourceForm(definition), notServed(definition));
    },
    async readTogether(storages, namespace, { signal } = {}) {
      const of = storages.map((storage) => contextsOf.get(storage));
      const first = of.find((context) => context !== undefined);
      if (first === undefined) throw badRequest("none of the resources is stored");
      await awaitCache(first, MOST_RECENT, { timeoutMs: JOINT_WAIT_MS, signal });
      // No await from here: the states are of one revision.
      const { watchCache } = first;
      const states = of.map((context) =>
        context?.watchCache === watchCache ? objectsIn(context.cache, namespace) : undefined,
      );
      return { resourceVersion: watchCache.revision, states };
    },
    async ready() {
      await Promise.all(caches().map((cache) => cache.ready()));
    },
    health: () => jointHealth(main.watchCache.health, caches()),
    caches: () => caches().flatMap((cache) => cache.statistics()),
    forgetBefore(revision) {
      for (const cache of caches()) cache.forgetBefore(revision);
    },
    allocationsHeld: (place) => caches().flatMap((cache) => [...cache.rawPaths(place as ResourcePath)]),
    async close() {
      checks.stop();
      for (const cache of caches()) cache.close();
    },
  };
}

const resourceOf = ({ group, plural }: ResourceDefinition): GroupResource => ({ group, resource: plural });

/** How long a read of several resources waits for the cache. */
const JOINT_WAIT_MS = 10_000;

function objectsIn({ tree, form }: ResourceCache, namespace: string): ObjectsAtRevision {
  const namespaced = form.definition.scope === "Namespaced";
  const { from, to } = positionsOf(tree, { namespace, name: undefined, namespaced });
  return { size: to - from, at: (index) => (index < to - from ? tree.at(from + index) : undefined) };
}

/** @throws StatusError BadRequest (400) */
function inOneStore(
  parts: readonly WatchedPart[],
  contextFor: (storage: ResourceStorage) => ResourceContext | undefined,
): [PartOfWatch, ...PartOfWatch[]] {
  const found = parts.map(({ storage, namespace, selection, version }): PartOfWatch => {
    const context = contextFor(storage);
    const name = resourceText(resourceOf(storage.definition));
    if (context === undefined) throw badRequest(`${name}: is not stored, so it cannot be watched with other resources`);
    return { context, namespace, selection, version };
  });
  const [first, ...others] = found;
  if (first === undefined) throw badRequest("a watch of several resources names at least one");
  for (const { context } of others) {
    if (context.watchCache === first.context.watchCache) continue;
    const names = [context, first.context].map(({ resource }) => resourceText(resource));
    throw badRequest(
      `${names.join(" and ")} are in different stores, which have no common revision: watch them separately`,
    );
  }
  return [first, ...others];
}

/** Returns the health of the main store's cache where that of no other store is worse. */
function jointHealth(main: CacheHealth, caches: readonly WatchCache[]): CacheHealth {
  if (caches.length === 1) return main;
  const all = caches.map(({ health }) => health);
  return {
    synced: all.every(({ synced }) => synced),
    connected: all.every(({ connected }) => connected),
    revision: main.revision,
    lastError: all.find(({ lastError }) => lastError !== undefined)?.lastError,
  };
}

function contextOf(shared: RegistryContext, definition: ResourceDefinition): ResourceContext {
  const { group, plural, kind } = definition;
  const cache = shared.watchCache.serve(resourceForm(definition));
  const conversions = conversionsOf(definition, shared.loop);
  const context: ResourceContext = {
    ...shared,
    definition,
    form: cache.form,
    keys: keySpaceOf(shared.prefix, resourcePath(group, plural)),
    cache,
    versions: objectVersions(definition, conversions?.writes),
    conversions,
    turns: new ConflictQueue(),
    seenAllocations: new SeenAllocations(shared.watchCache, shared.clock),
    historyTerms: historyTerms(shared.historyRules, shared.vocabulary, definition),
    resource: resourceOf(definition),
    kind: { group, kind },
    noteServer(change, subresource) {
      const manager = shared.vocabulary.fieldManagers.apiserver;
      const part = subresource === undefined ? {} : { subresource: { name: subresource } };
      trackFields(context, change, { version: definition.storage, manager, isServer: true, ...part });
    },
  };
  return context;
}

function serve(context: ResourceContext): ResourceStorage {
  const { definition, cache, conversions } = context;
  const unguarded: ResourceContext = { ...context, admission: undefined };
  const repairer = new AllocationRepairer(context);
  const storage: ResourceStorage = {
    definition,
    repairAllocations: () => repairer.pass(),
    history: objectHistory(context),
    async caughtUp({ signal, revision } = {}) {
      const read: ReadSemantics =
        revision === undefined ? MOST_RECENT : { kind: "notOlderThan", resourceVersion: revision };
      await awaitFreshness(context, "get", read, signal);
    },
    size: (namespace) => cache.sizeOf(namespace),
    watchersOf: ({ namespace, name }) => cache.watchers.concernedBy(namespace, objectPath(namespace, name)),
    outdated: (after, options = {}) => outdated(context, after, options),
    rewrite: (at, options = {}) => rewrite(context, at, options),
    rewriteHistory: (turn, options = {}) => rewriteHistory(context, turn, options),
    countObjects: (options = {}) => countObjects(context, options),
    get: (key, read, options) => get(context, key, read, options),
    list: (request, options) => list(context, request, options),
    watch: (request, options) => watch(context, request, options),
    peek: ({ namespace, name }) => cache.peek(objectPath(namespace, name)),
    isLarge: ({ namespace, name }) => cache.isLarge(objectPath(namespace, name)),
    ...(conversions && {
      prepare: (entries, version, { signal } = {}) =>
        conversions.entries.prepare(entries as readonly StoredEntry[], version, signal),
    }),
    unreadable: (namespace, named) => cache.unreadable.in(namespace, named),
    historySize: () => cache.ring.capacity,
    create: (object, at, write) => create(context, object, at, new WriteAttempt(context, write)),
    seed: (object, write) =>
      cache.beganEmpty ? seed(context, object, write) : createUnlessPresent(storage, object, write),
    update(object, at, given) {
      const write = new WriteAttempt(context, given);
      const through = viewWrite(write);
      return through === undefined ? update(context, object, at, write) : updateView(context, object, at, through);
    },
    patch(change, at, given) {
      const write = new WriteAttempt(context, given);
      const through = viewWrite(write);
      return through === undefined ? patch(context, change, at, write) : patchView(context, change, at, through);
    },
    delete(at, options, write) {
      const guarded = write.admitted ? unguarded : context;
      return remove(guarded, at, options, new WriteAttempt(guarded, write));
    },
    changeInPlace: (change, at, write) => changeInPlace(unguarded, change, at, new WriteAttempt(unguarded, write)),
    admitAction: (body, at, write, act) => admitAction(context, body, at, write, act),
    entryOf: (path, version, stored) => new StoredEntry(formOfStored(context.form, stored), path, version, stored),
  };
  return storage;
}
