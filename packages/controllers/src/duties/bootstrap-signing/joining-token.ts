// Which tokens the map of discovery is signed with. Source: access-control, "Bootstrap token"; facts, controllers.md "bootstrapsigner".
import { bootstrapExpiryMs, bootstrapSecretFlaws, bootstrapText } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

export interface JoiningToken {
  /** Public. */
  readonly id: string;
  readonly secret: string;
  /** In ms since 1970; Infinity: never. */
  readonly expiresAtMs: number;
}

/** @param object a Secret of the type of such tokens, of the system's namespace @returns undefined where it is none to sign with */
export function joiningToken(object: coreV1.Secret, nowMs: number): JoiningToken | undefined {
  const from = object as JsonObject;
  if (bootstrapSecretFlaws(from).length > 0) return undefined;
  if (bootstrapText(from, "usage-bootstrap-signing") !== "true") return undefined;
  const expiresAtMs = bootstrapExpiryMs(from);
  return expiresAtMs > nowMs
    ? { id: bootstrapText(from, "token-id"), secret: bootstrapText(from, "token-secret"), expiresAtMs }
    : undefined;
}
