// Who carries questions to webhooks: this package says what is asked and what the answer means, not how bytes travel.
import type { EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";

/** Where a webhook is, as its configuration has it. */
export interface WebhookTarget {
  /** Of the configuration. */
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  /** The configuration's name. */
  readonly configuration: string;
  /** The webhook's own. */
  readonly name: string;
  /** Of the configuration object: `{url}` or `{service: {namespace, name, path?, port?}}`, and `caBundle` (base64). */
  readonly clientConfig: JsonObject;
  readonly failurePolicy: "Ignore" | "Fail";
}

export interface WebhookCaller {
  /**
   * One POST of a review, and its answer's body, whatever the review says. A webhook that keeps failing may not be called at all.
   * @param body JSON
   * @param timeoutMs of this call; the request's own deadline may be nearer, then it is that
   * @throws WebhookCallError where there is no answer, or none of 2xx
   */
  call(
    target: WebhookTarget,
    body: Buffer,
    options: { readonly timeoutMs: number; readonly signal: EndSignal },
  ): Promise<Buffer>;
  /**
   * One that shows webhooks what a client configuration file holds for them.
   * @param file absolute; see `credentialsFile`
   * @throws Error for one that cannot be read, or not be used
   */
  withCredentials(file: string): WebhookCaller;
}

/** A calling error: follows the failure policy. Its message is what the field's message ends with. Source: facts, admission/webhooks.md "Calling". */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
}
