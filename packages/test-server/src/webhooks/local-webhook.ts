// An admission webhook of a test: what it decides on, and the function that answers.
import type { JsonObject } from "@orch/schema";

/** Part `request` of an AdmissionReview. Source: Kubernetes documentation, "Dynamic Admission Control". */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly userInfo: JsonObject;
  readonly object?: JsonObject | null;
  readonly oldObject?: JsonObject | null;
  readonly dryRun?: boolean;
  readonly options?: JsonObject | null;
}

export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** Message for the client when the request is denied. */
  readonly message?: string;
  /** HTTP status when the request is denied. Default: 403. */
  readonly code?: number;
  /** JSON Patch (RFC 6902) of a mutating webhook. */
  readonly patch?: readonly JsonObject[];
  readonly warnings?: readonly string[];
}

export interface LocalWebhook {
  /** A name of three parts at least, such as `pods.example.com`. */
  readonly name: string;
  readonly kind: "validating" | "mutating";
  /** Rules of the webhook configuration. */
  readonly rules: readonly JsonObject[];
  /** Answers a request. An error counts as a failure of the webhook. */
  readonly handler: (request: AdmissionRequest) => AdmissionAnswer | Promise<AdmissionAnswer>;
  /** Further fields of the webhook, such as `{ failurePolicy: "Ignore" }`. */
  readonly settings?: JsonObject;
}
