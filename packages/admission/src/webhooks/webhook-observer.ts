// Who counts what webhooks do. Source: facts, admission/webhooks.md "Metrics", chain.md "Metrics".
import type { AdmissionOperation } from "@orch/machinery";

/** As metrics have it. */
export type WebhookType = "admit" | "validating";

export interface CalledWebhook {
  readonly configuration: string;
  readonly name: string;
  readonly type: WebhookType;
  readonly operation: AdmissionOperation;
}

export type RejectionKind = "no_error" | "calling_webhook_error" | "apiserver_internal_error";

export interface WebhookObserver {
  /** Whatever has come of it. @param of.code of the HTTP status that stands for its outcome */
  called(
    webhook: CalledWebhook,
    of: { readonly seconds: number; readonly rejected: boolean; readonly code: number },
  ): void;
  /** @param of.code that the webhook refused with; 0 where it was not the webhook that refused */
  rejected(
    webhook: CalledWebhook,
    of: { readonly kind: RejectionKind; readonly code: number; readonly why: string },
  ): void;
  /** It failed, and the request went on without it. */
  failedOpen(webhook: CalledWebhook, why: string): void;
  conditionsEvaluated(webhook: CalledWebhook, seconds: number): void;
  conditionsFailed(webhook: CalledWebhook): void;
  /** A condition did not hold: it was not called. */
  conditionsExcluded(webhook: CalledWebhook): void;
}
