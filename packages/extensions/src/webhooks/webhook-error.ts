/** Reason why this side ended a call: the timeout, or the end of the request it belongs to. */
export type CallEnd = "late" | "ended";

/** Failure of a webhook call, with a message for the webhook's operator. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  /** Undefined: the webhook or the network ended the call. */
  readonly end: CallEnd | undefined;

  constructor(message: string, { end, ...options }: ErrorOptions & { readonly end?: CallEnd } = {}) {
    super(message, options);
    this.end = end;
  }
}
