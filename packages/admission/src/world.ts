// What plugins may ask about the rest of the cluster.
import type { Authorizer, HeldRules } from "@orch/auth";
import type { GroupResource, ObjectMeta, OwnerReference, Randomness, UserInfo } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { ConversionReader } from "./matching/conversion-reader";
import type { PodSecurityObserver } from "./pod-security-observer";
import type { PolicyObserver } from "./policies/policy-observer";
import type { WebhookCaller } from "./webhooks/webhook-caller";
import type { WebhookObserver } from "./webhooks/webhook-observer";

export interface AdmissionWorld {
  readonly vocabulary: Vocabulary;
  /** Emulated, such as `1.23`. */
  readonly release: string;
  /** Options of the server that plugins go by. */
  readonly options: PluginOptions;
  readonly clock: AdmissionClock;
  readonly allowances: Allowances;
  readonly turns: LoopTurns;
  readonly randomness: Randomness;
  /** For those who ask again, when what they ask for is about to be. */
  readonly pauses: Pauses;
  readonly namespaces: NamespaceReader;
  readonly objects: ObjectReader;
  readonly writer: ObjectWriter;
  readonly kinds: KindReader;
  readonly roles: RoleReader;
  /** That which requests go by, all modes together. */
  readonly authorizer: Pick<Authorizer, "authorize">;
  readonly remotes: RemoteServices;
  readonly podSecurity: PodSecurityObserver;
  /** Absent: webhooks cannot be reached from here, and every call of one is a calling error. */
  readonly webhooks?: WebhookCaller;
  /** Absent: nobody counts. */
  readonly webhookObserver?: WebhookObserver;
  /** Absent: nobody counts. */
  readonly policyObserver?: PolicyObserver;
  /** Absent: objects of kinds that somebody else converts are known in one version alone. */
  readonly conversion?: ConversionReader;
  /** From so many values on, what is to be read is given to another thread by a ManyValuesError. Absent: there is none. */
  readonly valuesHere?: number;
}

/** At once where it can be. */
export type Soon<Value> = Value | Promise<Value>;

export interface PluginOptions {
  /** `--default-not-ready-toleration-seconds` */
  readonly notReadyTolerationSeconds: number;
  /** `--default-unreachable-toleration-seconds` */
  readonly unreachableTolerationSeconds: number;
  /** Whether the feature gate of that name is on; false for one that is unknown. */
  readonly isOn: (gate: string) => boolean;
}

/** The event loop that others wait for, too: those with much to look at ask, between steps, whether to wait for `next` first. */
export interface LoopTurns {
  readonly isOver: boolean;
  next(): Promise<void>;
}

/** Services beside the cluster that plugins ask, each led to by a client configuration file. */
export interface RemoteServices {
  /** @throws Error for a file that cannot be used */
  open(file: string, options: RemoteServiceOptions): RemoteService;
}

export interface RemoteServiceOptions {
  /** For errors: `backend for images`. */
  readonly what: string;
  /** Before the second of several tries. */
  readonly backoffMs: number;
}

export interface RemoteService {
  /**
   * One POST, tried again where that may help.
   * @param body JSON
   * @returns the answer's body
   * @throws Error where there is none, or none of 2xx, and when the signal comes first
   */
  ask(body: string, signal: EndSignal): Promise<string>;
}

export interface AdmissionClock {
  /** Milliseconds since 1970: for times that are stored, or compared with stored times. */
  now(): number;
  /** Milliseconds that never run backwards, whatever is done to the machine's date: for durations. */
  elapsed(): number;
}

/** What may be done so often, for each key by itself: kept once for the server, whichever of its threads asks. */
export interface Allowances {
  /** @returns whether there was one to take */
  take(allowance: Allowance, key: string): Soon<boolean>;
}

export interface Allowance {
  /** The same always has the same values. */
  readonly name: string;
  readonly perSecond: number;
  /** At once. */
  readonly burst: number;
  /** Of those that were seen last. */
  readonly keysMax: number;
}

export interface Pauses {
  /** Resolves after so long, and at once when nobody waits for the request any more. */
  wait(ms: number, signal: EndSignal): Promise<void>;
}

/**
 * Objects in the storage version of their kind, shared by all who read them: nobody changes them. A resource that is not served has none.
 */
export interface ObjectReader {
  /** For kinds of which there are few: all their objects are kept, from the first call of this on. Called when a plugin is made, or later. */
  followed(resource: GroupResource): FollowedObjects;
  /**
   * The cache's object, which may be a moment behind; parsed, and kept so as long as it is not changed: for kinds of which there are few.
   * @throws StatusError RequestEntityTooLarge (413) for one that would take long to parse
   */
  cached(resource: GroupResource, at: ObjectPlace): Soon<JsonObject | undefined>;
  /** Of the cache's object, without parsing the rest. */
  labels(resource: GroupResource, at: ObjectPlace): Soon<Readonly<Record<string, string>> | undefined>;
  /** The store's object, whatever a cache says. @throws StatusError where the store does not answer */
  inStore(resource: GroupResource, at: ObjectPlace): Promise<JsonObject | undefined>;
  /** Of the store's object, without parsing the rest: of one of any size. @throws StatusError as `inStore` */
  metadataInStore(resource: GroupResource, at: ObjectPlace): Promise<ObjectMeta | undefined>;
  /** The cache's objects one after another, in the order of their names, without keeping them. @param namespace "" for all */
  each(resource: GroupResource, namespace: string): AsyncIterable<JsonObject>;
  /**
   * Objects whose annotations have that key, as the store has them at the beginning, without parsing the others.
   * @param of objects of all kinds in a namespace, or all of one kind
   */
  mentioning(key: string, of: MentionedScope): AsyncIterable<FoundObject>;
  /** What there is to know of them without parsing them. */
  heads(resource: GroupResource, namespace: string): AsyncIterable<ObjectHead>;
  /** The cache's object, parsed anew: it is not kept. @throws StatusError RequestEntityTooLarge (413), see `cached` */
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

/** @throws NotReadyError from each, where the cache has not been filled in 10 s */
export interface FollowedObjects {
  /** In the order of their names: the same array as long as none of them changes. @param namespace "" for cluster-scoped resources */
  in(namespace: string): Soon<readonly JsonObject[]>;
  /** Of all namespaces, in the order of namespaces and names: the same array as long as nothing changes. */
  all(): Soon<readonly JsonObject[]>;
  find(at: ObjectPlace): Soon<JsonObject | undefined>;
}

/** What the server writes of itself, through admission like everybody's; in the kind's storage version. */
export interface ObjectWriter {
  /** @throws StatusError AlreadyExists (409), or what refuses it */
  create(resource: GroupResource, object: JsonObject): Promise<JsonObject>;
  /** @throws StatusError Conflict (409) where the object is not the stored one's successor by its resource version; NotFound (404) */
  update(resource: GroupResource, object: JsonObject, subresource?: string): Promise<JsonObject>;
}

export interface KindReader {
  /** The resources whose objects are of that kind. @param apiVersion `v1` or `<group>/<version>` */
  of(apiVersion: string, kind: string): Soon<readonly KnownResource[]>;
}

export interface KnownResource extends GroupResource {
  readonly namespaced: boolean;
}

export interface NamespaceReader {
  /**
   * The namespace of that name. Only one that takes objects is told from a cache; that there is none, or that it is being deleted, is
   * what the store says.
   */
  get(name: string): NamespaceState | undefined | Promise<NamespaceState | undefined>;
  /** The namespace of that name as the store has it, whatever a cache says. */
  inStore(name: string): Promise<NamespaceState | undefined>;
}

export interface NamespaceState {
  /** Being deleted: it takes no new objects. */
  readonly terminating: boolean;
  /** Of the store, at which it was so. */
  readonly revision: number;
}

export interface RoleReader {
  /** From the store. @throws StatusError NotFound (404) that names the role */
  role(kind: "Role" | "ClusterRole", namespace: string, name: string): Promise<JsonObject>;
  /** What bound roles grant to a user. @param namespace "" for what they grant everywhere */
  heldBy(user: UserInfo, namespace: string): HeldRules | Promise<HeldRules>;
}
