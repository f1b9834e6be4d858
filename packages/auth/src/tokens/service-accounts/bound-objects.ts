// Current state of the objects that service account tokens refer to.

/** Kinds that a token may be bound to, and the account itself. */
export type BoundKind = "ServiceAccount" | "Secret" | "Pod" | "Node";

export interface BoundObject {
  readonly uid: string;
  /**
   * Time of deletion, ms since 1970; for pods it includes the grace period. Undefined: the object is not being deleted.
   */
  readonly deletedAtMs: number | undefined;
}

/** The Secret that a token names. */
export interface TokenSecret extends BoundObject {
  /** SHA-256 of the token; empty when the Secret holds none. */
  readonly tokenDigest: Buffer;
  /** Day of the last use, from the label; "" when none is recorded. */
  readonly lastUsed: string;
  /** Time since which the token is not accepted, from the label; "": it is accepted. */
  readonly invalidSince: string;
}

/** Lookup of objects in memory; used for every request with a token. */
export interface BoundObjects {
  /** @param namespace "" for nodes */
  find(kind: BoundKind, namespace: string, name: string): BoundObject | undefined;
  tokenSecret(namespace: string, name: string): TokenSecret | undefined;
  /** Returns whether the account lists the Secret, as it does those that were created for it automatically. */
  refersTo(account: { readonly namespace: string; readonly name: string }, secretName: string): boolean;
  /** Resolves once all earlier writes are visible. Rejects when this takes too long. */
  caughtUp(): Promise<void>;
}
