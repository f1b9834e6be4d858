/** Why a call was ended from this side: it took too long, or nobody waits any more. */
export type CallEnd = "late" | "ended";

/** What went wrong, in words for whoever runs the webhook. */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  /** Undefined: the webhook, or what is between here and there, has ended it. */
  readonly end: CallEnd | undefined;

  constructor(message: string, { end, ...options }: ErrorOptions & { readonly end?: CallEnd } = {}) {
    super(message, options);
    this.end = end;
  }
}
