// Selects the tokens that sign the cluster-info map. Source: pkg/controller/bootstrap/bootstrapsigner.go.
import { bootstrapExpiryMs, bootstrapSecretFlaws, bootstrapText } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

export interface JoiningToken {
  /** Public part of the token. */
  readonly id: string;
  readonly secret: string;
  /** In ms since 1970; Infinity: never. */
  readonly expiresAtMs: number;
}

/**
 * Reads a signing token from a Secret.
 * @param object a bootstrap token Secret in the system namespace
 * @returns undefined when the Secret is not usable for signing
 */
export function joiningToken(object: coreV1.Secret, nowMs: number): JoiningToken | undefined {
  const from = object as JsonObject;
  if (bootstrapSecretFlaws(from).length > 0) return undefined;
  if (bootstrapText(from, "usage-bootstrap-signing") !== "true") return undefined;
  const expiresAtMs = bootstrapExpiryMs(from);
  return expiresAtMs > nowMs
    ? { id: bootstrapText(from, "token-id"), secret: bootstrapText(from, "token-secret"), expiresAtMs }
    : undefined;
}
