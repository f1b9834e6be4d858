// Transport to webhooks. This package defines the reviews and reads the responses; the transport is implemented
// elsewhere.
import type { EndSignal } from "@orch/platform";
import type { JsonObject } from "@orch/schema";

/** Address of a webhook as in its configuration. */
export interface WebhookTarget {
  /** Kind of the configuration. */
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  /** Name of the configuration. */
  readonly configuration: string;
  /** Name of the webhook. */
  readonly name: string;
  /**
   * `clientConfig` of the configuration: `{url}` or `{service: {namespace, name, path?, port?}}`, and `caBundle`
   * (base64).
   */
  readonly clientConfig: JsonObject;
  readonly failurePolicy: "Ignore" | "Fail";
}

export interface WebhookCaller {
  /**
   * Sends a review in one POST and returns the body of the response. A webhook that keeps failing may be skipped
   * without a call.
   * @param body JSON
   * @param timeoutMs timeout of this call; the request's own deadline applies when it is nearer
   * @throws WebhookCallError when there is no response, or its status is not 2xx
   */
  call(
    target: WebhookTarget,
    body: Buffer,
    options: {
      readonly timeoutMs: number;
      readonly signal: EndSignal;
      /** Headers of the request's trace. Absent: the request is not traced. */
      readonly traceHeaders?: Readonly<Record<string, string>> | undefined;
    },
  ): Promise<Buffer>;
  /**
   * Returns a caller that authenticates with the credentials of a client configuration file.
   * @param file absolute; see `credentialsFile`
   * @throws Error for a file that cannot be read or used
   */
  withCredentials(file: string): WebhookCaller;
}

/** Calling error; the failure policy applies. Its message is the end of the message that the client receives. */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
}
