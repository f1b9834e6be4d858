// The objects that service account tokens rest on, as they are now.

/** Kinds that a token may be bound to, and the account itself. */
export type BoundKind = "ServiceAccount" | "Secret" | "Pod" | "Node";

export interface BoundObject {
  readonly uid: string;
  /** From when on it is being deleted, ms since 1970; for pods with the time that they have to end. Undefined: it is not. */
  readonly deletedAtMs: number | undefined;
}

/** The secret that holds a token which names it. */
export interface TokenSecret extends BoundObject {
  /** SHA-256 of the token; empty where it holds none. */
  readonly tokenDigest: Buffer;
  /** Day on which it was used last, as its label has it; "" where none has been noted. */
  readonly lastUsed: string;
  /** Since when it has not been accepted, as its label has it; "": it is. */
  readonly invalidSince: string;
}

/** From what the server has in memory: looked at for every request that brings a token. */
export interface BoundObjects {
  /** @param namespace "" for nodes */
  find(kind: BoundKind, namespace: string, name: string): BoundObject | undefined;
  tokenSecret(namespace: string, name: string): TokenSecret | undefined;
  /** Whether the account names the secret, as it does those that were made for it unasked. */
  refersTo(account: { readonly namespace: string; readonly name: string }, secretName: string): boolean;
  /** Resolves once all that was stored before is found. Rejects where that cannot be had in time. */
  caughtUp(): Promise<void>;
}
