// Bootstrap tokens: each is a Secret whose name contains the public half of the token.
// Source: Kubernetes documentation, "Authenticating with Bootstrap Tokens".
import { hash, timingSafeEqual } from "node:crypto";
import { bootstrapExpiryMs, bootstrapExtraGroups, bootstrapSecretFlaws, bootstrapText } from "@orch/machinery";
import { isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import {
  type AuthenticationOutcome,
  failed,
  NOT_APPLICABLE,
  NOT_REMEMBERED,
  type TokenAuthenticator,
} from "../authentication/authenticator";

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const USER_PREFIX = "system:bootstrap:";
const GROUP = "system:bootstrappers";

/** A parsed bootstrap token Secret, or the reason why it is not usable. */
export type BootstrapSecret =
  | {
      readonly kind: "token";
      readonly id: string;
      readonly secretDigest: Buffer;
      readonly groups: readonly string[];
      /** ms since 1970; Infinity: never. */
      readonly expiresAtMs: number;
    }
  | { readonly kind: "unusable"; readonly why: string };

const unusable = (why: string): BootstrapSecret => ({ kind: "unusable", why });

/** @param secret a Secret of the system namespace */
export function readBootstrapSecret(secret: JsonObject, { secretTypes }: Vocabulary): BootstrapSecret {
  if (secret["type"] !== secretTypes.bootstrapToken) return unusable("is of another type");
  const { metadata } = secret;
  if (isObject(metadata) && metadata["deletionTimestamp"] !== undefined) return unusable("is being deleted");
  const text = (key: string) => bootstrapText(secret, key);
  if (text("usage-bootstrap-authentication") !== "true") return unusable("is not enabled for authentication");
  const [flaw] = bootstrapSecretFlaws(secret);
  if (flaw !== undefined) return unusable(`is malformed: ${flaw}`);
  const expiresAtMs = bootstrapExpiryMs(secret);
  const groups = [...new Set([GROUP, ...bootstrapExtraGroups(secret)])].sort();
  return { kind: "token", id: text("token-id"), secretDigest: digest(text("token-secret")), groups, expiresAtMs };
}

export interface BootstrapTokenDeps {
  /** Returns the Secret of the system namespace for a token id, from memory: the same object while it is unchanged. */
  secret(tokenId: string): BootstrapSecret | undefined;
  nowMs(): number;
}

export function bootstrapTokens({ secret, nowMs }: BootstrapTokenDeps): TokenAuthenticator {
  return {
    authenticateToken(token) {
      const [, id, half] = TOKEN.exec(token) ?? [];
      if (id === undefined || half === undefined) return NOT_APPLICABLE;
      const found = secret(id);
      if (found === undefined) return NOT_APPLICABLE;
      if (found.kind === "unusable") return refused(id, found.why);
      // The comparison takes the same time wherever the values differ.
      const isRight = timingSafeEqual(digest(half), found.secretDigest);
      if (!isRight || found.id !== id) return refused(id, "contains another token");
      if (nowMs() >= found.expiresAtMs) return refused(id, "has expired");
      const standing = { untilMs: found.expiresAtMs, holds: () => secret(id) === found };
      return { kind: "authenticated", user: { name: `${USER_PREFIX}${id}`, groups: found.groups }, standing };
    },
  };
}

/** The refusal may contain the id: the first half of a token is public. */
const refused = (id: string, why: string): AuthenticationOutcome =>
  failed(`bootstrap token: the Secret of ${id} ${why}`, NOT_REMEMBERED);

function digest(half: string): Buffer {
  return hash("sha256", half, "buffer");
}
