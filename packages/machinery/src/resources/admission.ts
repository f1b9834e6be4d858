// The seam between the verbs that write and the admission chain. Source: facts, admission/chain.md.
import type { JsonObject } from "@orch/schema";
import type { UserInfo } from "../requests/user-info";
import type { GroupResource } from "./group-names";
import type { ResourceDefinition, ServedVersion } from "./resource-definition";

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly definition: ResourceDefinition;
  /** The version that the request speaks; `object` and `oldObject` have the hub's shape. */
  readonly version: ServedVersion;
  readonly subresource: string;
  readonly namespace: string;
  /** Of the object; "" while it has none. */
  readonly name: string;
  /** As the request's path has it, and its user was authorized: "" for a create in a collection. */
  readonly pathName: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Absent for DELETE. A mutating plugin may change it. */
  readonly object?: JsonObject;
  /** Absent for CREATE. Never changed. */
  readonly oldObject?: JsonObject;
  /** On what the decision to let the request pass rests. A plugin adds to it; a create is carried out only while all of it holds. */
  readonly premises: Premise[];
  /** Texts for `Warning` headers of the answer. */
  warn(text: string): void;
}

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

/** Both reject by throwing a StatusError. */
export interface Admission {
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}
