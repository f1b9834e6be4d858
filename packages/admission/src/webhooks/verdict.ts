// What a client is told whom a webhook has refused. Source: facts, admission/webhooks.md "Verdict".
import { isStatusReason, receivedDetails, StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** A refusal by the webhook itself, to be told from failures. */
export class Denial extends Error {
  override readonly name = "Denial";

  /** @param code of the webhook, as metrics count it: 400 or more, and not always a status code of HTTP */
  constructor(
    readonly status: StatusError,
    readonly code: number,
  ) {
    super(status.message);
  }
}

const CODE_MIN = 400;
/** The status codes of errors end here. Clients treat others as a server error: RFC 9110, section 15. */
const CODE_MAX = 599;
const CODE_OF_INVALID = 500;

/** @param status as the webhook has sent it */
export function denialOf(webhook: string, status: JsonObject | undefined): Denial {
  const { code, message, reason, details } = status ?? {};
  const deniedBy = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const why = nonEmpty(message) ?? nonEmpty(reason);
  const text = why === undefined ? `${deniedBy} without explanation` : `${deniedBy}: ${why}`;
  const given = nonEmpty(reason) ?? "";
  const known = isStatusReason(given) ? given : "";
  const foreign = known === given ? {} : { foreignReason: given };
  const asked = Number.isInteger(code) ? Math.max(code as number, CODE_MIN) : CODE_MIN;
  const told = asked > CODE_MAX ? CODE_OF_INVALID : asked;
  return new Denial(new StatusError(known, text, receivedDetails(details), { code: told, ...foreign }), asked);
}

const nonEmpty = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
