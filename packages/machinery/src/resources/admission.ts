// The seam between whatever writes and the admission chain. Source: facts, admission/chain.md.
import type { EndSignal } from "@orch/platform";
import type { JsonArray, JsonObject } from "@orch/schema";
import type { StatusError } from "../errors/status-error";
import type { DeleteOptions } from "../requests/delete-options";
import type { UserInfo } from "../requests/user-info";
import type { FieldValidation } from "../requests/write-options";
import type { GroupResource, GroupVersion } from "./group-names";
import type { ResourceDefinition, ServedVersion } from "./resource-definition";

/** DELETE of a collection is one request for each object; CONNECT leads out of the server, to where an object runs. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** What admission is asked: one try of one write, in both phases. */
export interface AdmissionRequest {
  /** Of the write: the same in all its tries. */
  readonly uid: string;
  /** From 1. A try that meets another write, or a cache that was behind, is given up, and everything is decided anew. */
  readonly attempt: number;
  readonly operation: AdmissionOperation;
  readonly definition: ResourceDefinition;
  /** The version that the request speaks; `object` and `oldObject` of a stored kind have the hub's shape. */
  readonly version: ServedVersion;
  /** Of the request's body: that of `version`, unless a sub-resource takes one of its own, such as a Scale. */
  readonly kind: GroupVersion & { readonly kind: string };
  readonly subresource: string;
  readonly namespace: string;
  /** Of the object; "" while it has none. */
  readonly name: string;
  /** As the request's path has it, and its user was authorized: "" for a create in a collection, and for a collection's deletion. */
  readonly pathName: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Undefined for CONNECT, which has none. */
  readonly options: AdmissionOptions | undefined;
  /** Nobody waits for the request any more. */
  readonly signal: EndSignal;
  /** What is to be; for CONNECT, the options of the connection. Undefined for DELETE. */
  readonly object: JsonObject | undefined;
  /** What is. Undefined for CREATE and CONNECT. Never changed. */
  readonly oldObject: JsonObject | undefined;
  /** The bytes of `object`, while it is judged. Absent where it may be changed yet, or has other bytes when shown than when stored. */
  readonly stored?: StoredText | undefined;
  /** On what the decision to let the request pass rests. A plugin adds to it; a create is carried out only while all of it holds. */
  readonly premises: Premise[];
  /** What the write is charged for. A plugin adds to it; a create or an update is carried out only together with all of it. */
  readonly charges: Charge[];
  /** Texts for `Warning` headers of the answer. */
  warn(text: string): void;
  /** Who wants to be told all that is decided on the way; undefined, as nearly always: nobody. */
  readonly trace: AdmissionTrace | undefined;
  /**
   * For the audit event of the request. Of two values under one key the first stays; those of a try that is given up are forgotten.
   * @param key `<DNS subdomain>/<name>`
   * @param level of the event, below which it is left out; default: Metadata
   */
  annotate(key: string, value: string, level?: AnnotationLevel): void;
}

/** An object as it is stored: written once, for those who judge it and for the store. */
export interface StoredText {
  readonly version: ServedVersion;
  /** JSON. */
  bytes(): Buffer;
}

/** As it is shown to those who may change it: in place, or by another in its stead. */
export interface MutableAdmissionRequest extends AdmissionRequest {
  object: JsonObject | undefined;
  stored?: StoredText | undefined;
}

export type AdmissionOptions =
  | {
      readonly kind: "CreateOptions" | "UpdateOptions";
      /** "" where the client names none. */
      readonly fieldManager: string;
      readonly fieldValidation: FieldValidation;
    }
  | ({ readonly kind: "DeleteOptions" } & Partial<Omit<DeleteOptions, "dryRun">>);

export interface AdmissionTrace {
  /** Another try begins: what was told of the last one means nothing any more. */
  again(): void;
  tell(step: TracedStep): void;
}

/** What one plugin, or one webhook or policy of it, made of the request. */
export interface TracedStep {
  readonly phase: "admit" | "validate";
  /** Of changes: 1 where it was asked again. */
  readonly round: 0 | 1;
  readonly plugin: string;
  /** The webhook's or policy's name, with that of its configuration or binding; absent: the plugin as a whole. */
  readonly part?: string;
  readonly decision: "allowed" | "denied" | "failed" | "ignored";
  /** Why, of what was not allowed. */
  readonly code?: number;
  readonly message?: string;
  /** What it changed, as a JSON patch (RFC 6902). */
  readonly patch?: JsonArray;
  readonly seconds: number;
}

export type AnnotationLevel = "Metadata" | "Request" | "RequestResponse";

/**
 * What has become of a try: its decision was carried out, or nothing was (another plugin refused, another write came first, it was a dry
 * run), or nobody knows, for the store has not answered.
 */
export type AdmissionOutcome = "done" | "undone" | "unknown";

/**
 * Another object as a decision saw it. The write compares its revision in the same transaction, so that a decision that rests on
 * what a cache says is as good as one that rests on the store.
 */
export interface Premise {
  readonly resource: GroupResource;
  /** "" for cluster-scoped resources. */
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** Decides anew, by what the store has now. @throws StatusError to refuse after all */
  again(): Promise<Premise>;
}

/**
 * Another object that keeps account of writes. It is changed in the transaction of the write itself: nothing is stored without being charged
 * for, and nothing is charged for what is not stored. Writes that are charged to the same account wait for each other, and are stored
 * together.
 */
export interface Charge {
  readonly resource: GroupResource;
  readonly namespace: string;
  readonly name: string;
  /** Through which the account is written, for those who ask who has; absent: none. */
  readonly subresource?: string;
  /** The account as the decision saw it, with its resource version. It may have changed since. */
  readonly seen: JsonObject;
  /**
   * Decides anew. Called again whenever the account turns out to be another; not at all once it is gone.
   * @param account in the storage version, as it will be when this write comes; never changed
   * @returns the account after this write; the same object where nothing changes
   * @throws StatusError to refuse the write after all
   */
  book(account: JsonObject): JsonObject;
  /** What the client is told when too many others come first. */
  late(): StatusError;
}

/** The first two refuse by throwing a StatusError; what is undefined is done at once. */
export interface Admission {
  mutate(request: MutableAdmissionRequest): void | Promise<void>;
  validate(request: AdmissionRequest): void | Promise<void>;
  /** Told once of each request that was asked about, whatever came of it. Absent: nobody wants to know. Never throws. */
  settled?(request: AdmissionRequest, outcome: AdmissionOutcome): void;
}
