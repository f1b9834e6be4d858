// Parts of the server and the cluster that plugins may use: the dependencies of admission plugins.

import type { Authorizer, HeldRules } from "@orch/auth";
import type {
  GroupResource,
  ObjectMeta,
  OwnerReference,
  Randomness,
  ResourceDefinition,
  ServedVersion,
  UserInfo,
} from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { PodSecurityObserver } from "./pod-security-observer";
import type { PolicyObserver } from "./policy-observer";
import type { WebhookCaller } from "./webhook-caller";
import type { WebhookObserver } from "./webhook-observer";

export interface AdmissionDependencies {
  readonly vocabulary: Vocabulary;
  /** Emulated release, such as `1.23`. */
  readonly release: string;
  /** Server options that plugins use. */
  readonly options: PluginOptions;
  readonly clock: AdmissionClock;
  readonly allowances: Allowances;
  readonly yielder: EventLoopYielder;
  readonly randomness: Randomness;
  /** Delays between retries. */
  readonly pauses: Pauses;
  readonly namespaces: NamespaceReader;
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly kinds: KindReader;
  readonly roles: RoleReader;
  /** Authorizer of the server, with all its modes. */
  readonly authorizer: Pick<Authorizer, "authorize">;
  readonly remotes: RemoteServices;
  readonly podSecurity: PodSecurityObserver;
  /** Absent: webhooks cannot be reached, and every call is a calling error. */
  readonly webhooks?: WebhookCaller;
  /** Absent: no metrics. */
  readonly webhookObserver?: WebhookObserver;
  /** Absent: no metrics. */
  readonly policyObserver?: PolicyObserver;
  /** Absent: objects that a conversion webhook converts are available in one version only. */
  readonly conversion?: ConversionReader;
  /**
   * Number of values from which an object is read by another thread, by way of a ManyValuesError. Absent: there is no
   * other thread.
   */
  readonly valuesHere?: number;
}

/** A value, or a promise of it when it must be fetched. */
export type MaybePromise<Value> = Value | Promise<Value>;

export interface PluginOptions {
  /** Value of `--default-not-ready-toleration-seconds`. */
  readonly notReadyTolerationSeconds: number;
  /** Value of `--default-unreachable-toleration-seconds`. */
  readonly unreachableTolerationSeconds: number;
  /** Returns whether the feature gate is enabled; false for an unknown gate. */
  readonly isOn: (gate: string) => boolean;
}

/**
 * Cooperative scheduling on the event loop. A long computation checks `isOver` between steps and waits for `next` when
 * it is set.
 */
export interface EventLoopYielder {
  readonly isOver: boolean;
  next(): Promise<void>;
}

/** External services that plugins call, each described by a client configuration file. */
export interface RemoteServices {
  /** Opens a service. @throws Error for a file that cannot be used */
  open(file: string, options: RemoteServiceOptions): RemoteService;
}

export interface RemoteServiceOptions {
  /** Name of the service in errors, such as `backend for images`. */
  readonly what: string;
  /** Delay before the first retry, in milliseconds. */
  readonly backoffMs: number;
}

export interface RemoteService {
  /**
   * Sends one POST, with retries for errors that are worth a retry.
   * @param body JSON
   * @returns the body of the response
   * @throws Error when there is no response, when its status is not 2xx, and when the signal fires first
   */
  ask(body: string, signal: EndSignal): Promise<string>;
}

export interface AdmissionClock {
  /** Milliseconds since 1970, for times that are stored or compared with stored times. */
  now(): number;
  /** Monotonic milliseconds, for durations. */
  elapsed(): number;
}

/** Rate limits per key, kept once for the server and shared by its threads. */
export interface Allowances {
  /** Takes a token. @returns whether one was available */
  take(allowance: Allowance, key: string): MaybePromise<boolean>;
}

export interface Allowance {
  /** Name of the limit. Equal names must have equal values. */
  readonly name: string;
  readonly perSecond: number;
  /** Size of the bucket: the number of tokens available at once. */
  readonly burst: number;
  /** Maximum number of keys kept; the least recently used are dropped. */
  readonly keysMax: number;
}

interface Pauses {
  /** Resolves after `ms`, or at once when the client no longer waits for the request. */
  wait(ms: number, signal: EndSignal): Promise<void>;
}

/**
 * Objects in the storage version of their kind. They are shared and must not be changed. A resource that is not served
 * has none.
 */
export interface ObjectReader {
  /**
   * Keeps all objects of a resource from the first call on. Meant for resources with few objects. Called when a plugin
   * is created, or later.
   */
  lister(resource: GroupResource): ObjectLister;
  /**
   * Returns the cached object, which may be slightly stale. The parsed object is kept until it changes. Meant for
   * resources with few objects.
   * @throws StatusError RequestEntityTooLarge (413) for an object that would take long to parse
   */
  cached(resource: GroupResource, at: ObjectPlace): MaybePromise<JsonObject | undefined>;
  /** Returns the labels of the cached object without parsing the rest. */
  labels(resource: GroupResource, at: ObjectPlace): MaybePromise<Readonly<Record<string, string>> | undefined>;
  /** Reads the object from the store. @throws StatusError when the store does not answer */
  inStore(resource: GroupResource, at: ObjectPlace): Promise<JsonObject | undefined>;
  /**
   * Reads the object's metadata from the store without parsing the rest, for objects of any size. @throws StatusError
   * as `inStore`
   */
  metadataInStore(resource: GroupResource, at: ObjectPlace): Promise<ObjectMeta | undefined>;
  /**
   * Iterates over the cached objects in the order of their names without keeping them parsed. @param namespace "" for
   * all
   */
  each(resource: GroupResource, namespace: string): AsyncIterable<JsonObject>;
  /**
   * Iterates over objects that have the annotation `key`, as the store has them at the start. Other objects are not
   * parsed.
   * @param of all objects of a namespace, or all objects of a resource
   */
  mentioning(key: string, of: MentionedScope): AsyncIterable<FoundObject>;
  /** Iterates over what is known of the objects without parsing them. */
  heads(resource: GroupResource, namespace: string): AsyncIterable<ObjectHead>;
  /**
   * Returns the cached object, parsed for this call and not kept. @throws StatusError RequestEntityTooLarge (413), see
   * `cached`
   */
  once(resource: GroupResource, at: ObjectPlace): Promise<JsonObject | undefined>;
}

export type MentionedScope = { readonly namespace: string } | { readonly resource: GroupResource };

export interface FoundObject {
  readonly resource: GroupResource;
  readonly metadata: ObjectMeta;
}

export interface ObjectPlace {
  /** "" for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectHead extends ObjectPlace {
  readonly owners: readonly OwnerReference[];
}

/**
 * Objects of one resource, kept up to date. @throws NotReadyError from each method when the cache is not filled within
 * 10 s
 */
export interface ObjectLister {
  /**
   * Returns the objects of a namespace in the order of their names. The array is the same until one of them changes.
   * @param namespace "" for cluster-scoped resources
   */
  in(namespace: string): MaybePromise<readonly JsonObject[]>;
  /**
   * Returns the objects of all namespaces, ordered by namespace and name. The array is the same until one of them
   * changes.
   */
  all(): MaybePromise<readonly JsonObject[]>;
  find(at: ObjectPlace): MaybePromise<JsonObject | undefined>;
}

/** Writes of the server itself, in the storage version. They pass through admission like any other write. */
export interface ObjectWriter {
  /** Creates an object. @throws StatusError AlreadyExists (409), or the refusal of the write */
  create(resource: GroupResource, object: JsonObject): Promise<JsonObject>;
  /**
   * Updates an object. @throws StatusError Conflict (409) when its resource version is not that of the stored object;
   * NotFound (404)
   */
  update(resource: GroupResource, object: JsonObject, subresource?: string): Promise<JsonObject>;
}

export interface KindReader {
  /** Returns the resources that serve a kind. @param apiVersion `v1` or `<group>/<version>` */
  of(apiVersion: string, kind: string): MaybePromise<readonly KnownResource[]>;
}

export interface KnownResource extends GroupResource {
  readonly namespaced: boolean;
}

/** Converts objects of custom resource definitions with a conversion webhook. */
export interface ConversionReader {
  /**
   * Converts an object of a definition that has a converter.
   * @param object not modified
   * @returns a new object in the version `to`, validated and defaulted
   * @throws StatusError; ManyValuesError when the result is too large for this thread
   */
  convert(
    definition: ResourceDefinition,
    object: JsonObject,
    versions: { readonly from: ServedVersion; readonly to: ServedVersion },
    signal: EndSignal,
  ): Promise<JsonObject>;
}

export interface NamespaceReader {
  /**
   * Returns the namespace. The cache answers only for a namespace that accepts objects; that it does not exist or is
   * terminating is read from the store.
   */
  get(name: string): NamespaceState | undefined | Promise<NamespaceState | undefined>;
  /** Reads the namespace from the store. */
  inStore(name: string): Promise<NamespaceState | undefined>;
}

export interface NamespaceState {
  /** Whether the namespace is being deleted. It accepts no new objects then. */
  readonly terminating: boolean;
  /** Store revision at which this state was read. */
  readonly revision: number;
}

export interface RoleReader {
  /** Reads a role from the store. @throws StatusError NotFound (404) that names the role */
  role(kind: "Role" | "ClusterRole", namespace: string, name: string): Promise<JsonObject>;
  /**
   * Returns the rules that bound roles grant to a user. @param namespace "" for the rules granted in the whole cluster
   */
  heldBy(user: UserInfo, namespace: string): HeldRules | Promise<HeldRules>;
}
