// Interface between writes and the admission chain. Source: "Admission Control in Kubernetes" in the Kubernetes
// documentation.
import type { EndSignal, TraceSpan } from "@orch/platform";
import type { JsonArray, JsonObject } from "@orch/schema";
import type { StatusError } from "../errors/status-error";
import type { GroupResource, GroupVersion } from "../names/group-names";
import type { DeleteOptions } from "../requests/delete-options";
import type { UserInfo } from "../requests/user-info";
import type { FieldValidation } from "../requests/write-options";
import type { ResourceDefinition, ServedVersion } from "./resource-definition";

/**
 * Operation of a request. deletecollection is one DELETE request per object; CONNECT is a request for a connection such
 * as exec.
 */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** Admission request for one attempt of one write, used in both phases. */
export interface AdmissionRequest {
  /** UID of the write: the same in all its attempts. */
  readonly uid: string;
  /**
   * Attempt number, from 1. An attempt that meets a concurrent write or used an outdated cache is abandoned, and all
   * decisions are made again.
   */
  readonly attempt: number;
  readonly operation: AdmissionOperation;
  readonly definition: ResourceDefinition;
  /** Version of the request; `object` and `oldObject` of a stored resource have the hub's shape. */
  readonly version: ServedVersion;
  /** Kind of the request's body: that of `version`, unless the subresource has a kind of its own, such as Scale. */
  readonly kind: GroupVersion & { readonly kind: string };
  readonly subresource: string;
  readonly namespace: string;
  /** Name of the object; "" while it has none. */
  readonly name: string;
  /** Name in the request's path, for which the user was authorized; "" for a create and for a deletecollection. */
  readonly pathName: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Undefined for CONNECT. */
  readonly options: AdmissionOptions | undefined;
  /** Ends when no client waits for the request any more. */
  readonly signal: EndSignal;
  /** The new object; for CONNECT, the options of the connection. Undefined for DELETE. */
  readonly object: JsonObject | undefined;
  /** The current object. Undefined for CREATE and CONNECT. Never modified. */
  readonly oldObject: JsonObject | undefined;
  /**
   * The stored bytes of `object` during validation. Absent while the object may still change, or when its stored bytes
   * differ from those shown.
   */
  readonly stored?: StoredText | undefined;
  /**
   * Preconditions of the decision to allow the request. A plugin may add to them; a create is carried out only while
   * all of them hold.
   */
  readonly preconditions: Precondition[];
  /**
   * Reservations of the write, such as quota usage. A plugin may add to them; a create or update is committed together
   * with all of them.
   */
  readonly reservations: QuotaReservation[];
  /** Adds a `Warning` header to the response. */
  warn(text: string): void;
  /** Receives every decision, for diagnosis; usually undefined. */
  readonly trace: AdmissionTrace | undefined;
  /** Span of the step that runs now; undefined when the request is not traced. The chain sets it. */
  span?: TraceSpan | undefined;
  /**
   * Adds an annotation to the request's audit event. The first of several values for a key is kept; annotations of an
   * abandoned attempt are dropped.
   * @param key `<DNS subdomain>/<name>`
   * @param level audit level of the event below which the annotation is left out; default: Metadata
   */
  annotate(key: string, value: string, level?: AnnotationLevel): void;
}

/** An object as stored: serialized once, for validation and the store. */
export interface StoredText {
  readonly version: ServedVersion;
  /** Returns the JSON bytes. */
  bytes(): Buffer;
}

/** Request of the mutating phase: the object may be modified in place or replaced. */
export interface MutableAdmissionRequest extends AdmissionRequest {
  object: JsonObject | undefined;
  stored?: StoredText | undefined;
}

export type AdmissionOptions =
  | {
      readonly kind: "CreateOptions" | "UpdateOptions";
      /** Empty when the client sets none. */
      readonly fieldManager: string;
      readonly fieldValidation: FieldValidation;
    }
  | ({ readonly kind: "DeleteOptions" } & Partial<Omit<DeleteOptions, "dryRun">>);

export interface AdmissionTrace {
  /** Starts another attempt: earlier steps are void. */
  again(): void;
  tell(step: TracedStep): void;
}

/** The result of a plugin, or of one of its webhooks or policies. */
export interface TracedStep {
  readonly phase: "admit" | "validate";
  /** 1 when a mutating plugin was reinvoked. */
  readonly round: 0 | 1;
  readonly plugin: string;
  /** Name of the webhook or policy, with that of its configuration or binding; absent for the plugin as a whole. */
  readonly part?: string;
  readonly decision: "allowed" | "denied" | "failed" | "ignored";
  /** Status code of a refusal or failure. */
  readonly code?: number;
  readonly message?: string;
  /** Changes by the plugin as a JSON patch (RFC 6902). */
  readonly patch?: JsonArray;
  readonly seconds: number;
}

export type AnnotationLevel = "Metadata" | "Request" | "RequestResponse";

/**
 * Outcome of an attempt. done: the decision was carried out. undone: it was not, because of a refusal, a concurrent
 * write or a dry run. unknown: the store has not answered.
 */
export type AdmissionOutcome = "done" | "undone" | "unknown";

/**
 * Another object as a decision saw it. The write compares its revision in the same transaction, so that a decision
 * based on a cache is as reliable as one based on the store.
 */
export interface Precondition {
  readonly resource: GroupResource;
  /** Empty for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /**
   * Decides again with the current state of the store.
   * @throws StatusError to refuse the write
   */
  retry(): Promise<Precondition>;
}

/**
 * A reservation of a write in another object, such as a ResourceQuota. The quota is updated in the transaction of the
 * write, so that writes and reservations are always stored together. Writes that reserve in the same quota wait for
 * each other, and are stored together.
 */
export interface QuotaReservation {
  readonly resource: GroupResource;
  readonly namespace: string;
  readonly name: string;
  /** Subresource through which the quota is written, for its managedFields; absent: none. */
  readonly subresource?: string;
  /** The quota as the decision saw it, with its resource version. It may have changed since. */
  readonly seen: JsonObject;
  /**
   * Decides again. Called each time the quota has changed; not called once it is deleted.
   * @param quota in the storage version, in its state when this write is stored; must not be modified
   * @returns the quota after this write, or the same object when nothing changes
   * @throws StatusError to refuse the write
   */
  apply(quota: JsonObject): JsonObject;
  /** Returns the error for the client when too many other writes come first. */
  late(): StatusError;
}

/**
 * The admission chain. `mutate` and `validate` refuse a request by throwing a StatusError, and return undefined when
 * they complete synchronously.
 */
export interface Admission {
  mutate(request: MutableAdmissionRequest): void | Promise<void>;
  validate(request: AdmissionRequest): void | Promise<void>;
  /** Notifies of the outcome of each request that was reviewed, once. Never throws. Absent: no plugin needs it. */
  settled?(request: AdmissionRequest, outcome: AdmissionOutcome): void;
}
