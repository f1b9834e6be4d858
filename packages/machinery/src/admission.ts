// The seam between the verbs that write and the admission chain. Source: facts, admission/chain.md.
import type { JsonObject } from "@orch/schema";
import type { ResourceDefinition, ServedVersion } from "./resource-definition";
import type { UserInfo } from "./user-info";

export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly definition: ResourceDefinition;
  /** The version that the request speaks; `object` and `oldObject` are in the storage version. */
  readonly version: ServedVersion;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Absent for DELETE. A mutating plugin may change it. */
  readonly object?: JsonObject;
  /** Absent for CREATE. Never changed. */
  readonly oldObject?: JsonObject;
  /** Texts for `Warning` headers of the answer. */
  warn(text: string): void;
}

/** Both reject by throwing a StatusError. */
export interface Admission {
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}
