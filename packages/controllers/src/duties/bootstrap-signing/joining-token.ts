// Which tokens the map of discovery is signed with. Source: access-control, "Bootstrap token"; facts, controllers.md "bootstrapsigner".
import { BOOTSTRAP_SECRET_PREFIX, bootstrapExpiryMs, bootstrapText } from "@orch/auth";
import { nameOf } from "@orch/machinery";
import type { coreV1, JsonObject } from "@orch/schema";

export interface JoiningToken {
  /** Public. */
  readonly id: string;
  readonly secret: string;
  /** In ms since 1970; Infinity: never. */
  readonly expiresAtMs: number;
}

const NAME = new RegExp(`^${BOOTSTRAP_SECRET_PREFIX}([a-z0-9]{6})$`);

/** @param object a Secret of the type of such tokens, of the system's namespace @returns undefined where it is none to sign with */
export function joiningToken(object: coreV1.Secret, nowMs: number): JoiningToken | undefined {
  const from = object as JsonObject;
  const [, id] = NAME.exec(nameOf(from)) ?? [];
  const secret = bootstrapText(from, "token-secret");
  if (id === undefined || bootstrapText(from, "token-id") !== id || secret === "") return undefined;
  if (bootstrapText(from, "usage-bootstrap-signing") !== "true") return undefined;
  const expiresAtMs = bootstrapExpiryMs(from);
  return expiresAtMs > nowMs ? { id, secret, expiresAtMs } : undefined; // one that names no time has none left
}
