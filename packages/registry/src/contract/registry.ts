// The interface of the registry: objects over a store. One watch cache serves every resource.
import type { AllocationAttempt, ResourceDefinition } from "@orch/machinery";
import type { ReadOptions } from "./operations";
import type { ResourceStorage } from "./resource-storage";
import type { JointState, SeveralWatcher, SharedWatch, WatchedPart } from "./several-resources";

export interface Registry {
  /**
   * Starts serving the objects of a definition, at once and while other resources are served. If another definition of
   * the resource is served, this one replaces it and takes over the cached objects where both read them alike. Watches
   * of the former storage end after the last change that is due to them; clients continue with a new watch. Requests in
   * progress finish on the former storage.
   */
  resource(definition: ResourceDefinition): ResourceStorage;
  /**
   * Stops serving the objects of a definition; they stay in the store. Watches end after the last change that is due to
   * them, with an ERROR event NotFound (404).
   */
  release(definition: ResourceDefinition): void;
  /**
   * Starts a watch of several resources of one store. All initial states are of one revision, and the events after them
   * are in revision order across the resources.
   * @throws StatusError BadRequest (400) for a resource that is not stored, or is in another store than the first one;
   * otherwise like `ResourceStorage.watch`
   */
  watchTogether(parts: readonly WatchedPart[], request: SharedWatch, options?: ReadOptions): Promise<SeveralWatcher>;
  /**
   * Reads the objects of several resources in one namespace at one revision, as new as the store.
   * @param storages at least one. Those of another store than the first one are left out
   * @throws StatusError Timeout (504) and ServerTimeout when the cache does not reach the newest revision in time
   */
  readTogether(storages: readonly ResourceStorage[], namespace: string, options?: ReadOptions): Promise<JointState>;
  /** Resolves once the cache holds the whole key space. */
  ready(): Promise<void>;
  health(): CacheHealth;
  /** Statistics for metrics: one row for each served resource. */
  caches(): readonly CacheStatistics[];
  /**
   * Drops recent changes up to a revision that the store has compacted. Without it they are kept for a while, as far as
   * memory allows.
   */
  forgetBefore(revision: number): void;
  /** Returns the names of the allocations that are held under a prefix, such as `ranges/serviceips`. */
  allocationsHeld(place: string): Iterable<string>;
  close(): Promise<void>;
}

/** Callbacks of the registry for metrics. Every member is optional and must return immediately. */
export interface RegistryObserver {
  /** The cache received one change from the store. @param resource `<group or core>/<plural>` */
  readonly eventReceived?: (resource: string) => void;
  /** The cache received an object that cannot be read. @param resource `<group or core>/<plural>` */
  readonly objectUnreadable?: (resource: string) => void;
  /** The cache was filled again. */
  readonly listed?: (objects: number) => void;
  /** A read went to the store because the cache could not serve it. */
  readonly storeRead?: (resource: string, objects: number) => void;
  /** A watch began with this number of objects. @param resource as errors name it: `pods`, `deployments.apps` */
  readonly watchPrimed?: (resource: string, objects: number) => void;
  /** The ring of recent changes of a resource was enlarged or reduced. @param resource `<group or core>/<plural>` */
  readonly windowResized?: (resource: string, change: "grown" | "shrunk") => void;
  /** A resource in the cache was compared with the store. */
  readonly consistencyChecked?: (definition: ResourceDefinition, status: "success" | "failure" | "error") => void;
  /** A write tried to allocate a value, such as a cluster IP. */
  readonly allocationAttempted?: (attempt: AllocationAttempt) => void;
  /** A list was answered. */
  readonly listServed?: (definition: ResourceDefinition, list: ListFigures) => void;
}

export interface ListFigures {
  readonly from: "cache" | "store";
  /** Number of objects that were read. */
  readonly fetched: number;
  readonly returned: number;
  /** Whether the list had to be as new as the store. */
  readonly isConsistent: boolean;
  /** Time until the cache was current. */
  readonly waitedMs: number;
}

export interface CacheHealth {
  readonly synced: boolean;
  /** Whether the cache's watch is connected now. */
  readonly connected: boolean;
  readonly revision: number;
  readonly lastError: string | undefined;
}

export interface CacheStatistics {
  readonly definition: ResourceDefinition;
  readonly objects: number;
  /** Number of stored values of the resource that cannot be read as objects. */
  readonly unreadable: number;
  /** Number of recent changes that the cache may hold at the moment. */
  readonly capacity: number;
  readonly watchers: number;
}
