// Observer of webhook calls, for metrics. Source: staging/src/k8s.io/apiserver/pkg/admission/metrics/metrics.go.
import type { AdmissionOperation } from "@orch/machinery";

/** Value of the metric label `type`. */
export type WebhookType = "admit" | "validating";

export interface CalledWebhook {
  readonly configuration: string;
  readonly name: string;
  readonly type: WebhookType;
  readonly operation: AdmissionOperation;
}

export type RejectionKind = "no_error" | "calling_webhook_error" | "apiserver_internal_error";

export interface WebhookObserver {
  /** Called after each call, whatever its outcome. @param of.code HTTP status code that represents the outcome */
  called(
    webhook: CalledWebhook,
    of: { readonly seconds: number; readonly rejected: boolean; readonly code: number },
  ): void;
  /** Called for each rejection. @param of.code code of the webhook's denial; 0 when the call failed */
  rejected(
    webhook: CalledWebhook,
    of: { readonly kind: RejectionKind; readonly code: number; readonly why: string },
  ): void;
  /** Called when the call failed and the request continued without it. */
  failedOpen(webhook: CalledWebhook, why: string): void;
  conditionsEvaluated(webhook: CalledWebhook, seconds: number): void;
  conditionsFailed(webhook: CalledWebhook): void;
  /** Called when a match condition is false and the webhook is skipped. */
  conditionsExcluded(webhook: CalledWebhook): void;
}
