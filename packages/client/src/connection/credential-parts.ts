// What a client shows of itself, and what is needed to find it.
import type { Clock } from "@orch/platform";

/** PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Credentials {
  /** The certificate may change with any request, and asking for it costs little. */
  readonly changesAtAnyTime?: boolean;
  /** The bearer token for the next request, at once where it is known. @throws Error where it cannot be had */
  token(): Promise<string | undefined> | string | undefined;
  /** The certificate for the next handshake. @throws Error where it cannot be had */
  keyPair(): Promise<KeyPair | undefined>;
  /** The server answered 401: whatever is cached is worth nothing. @param token what the refused request carried */
  rejected(token: string | undefined): void;
}

export interface CredentialDeps {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
}
