// What a client is told whom a webhook has refused. Source: facts, admission/webhooks.md "Verdict".
import { isStatusReason, receivedDetails, StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** A refusal by the webhook itself, to be told from failures. */
export class Denial extends Error {
  override readonly name = "Denial";

  constructor(readonly status: StatusError) {
    super(status.message);
  }
}

const CODE_MIN = 400;
/** HTTP has no others. */
const CODE_MAX = 999;

/** @param status as the webhook has sent it */
export function denialOf(webhook: string, status: JsonObject | undefined): Denial {
  const { code, message, reason, details } = status ?? {};
  const deniedBy = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = nonEmpty(message) ?? nonEmpty(reason);
  const text = why === undefined ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`;
  const given = nonEmpty(reason) ?? "";
  const known = isStatusReason(given) ? given : "";
  const foreign = known === given ? {} : { foreignReason: given };
  return new Denial(new StatusError(known, text, receivedDetails(details), { code: codeOf(code), ...foreign }));
}

function codeOf(code: unknown): number {
  if (!Number.isInteger(code)) return CODE_MIN;
  return Math.min(Math.max(code as number, CODE_MIN), CODE_MAX);
}

const nonEmpty = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
