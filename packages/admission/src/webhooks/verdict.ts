// Error for a request that a webhook denied. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/errors/statuserror.go.
import { isStatusReason, receivedDetails, StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";

/** Denial by the webhook itself, as opposed to a failed call. */
export class Denial extends Error {
  override readonly name = "Denial";

  /** @param code status code of the webhook, for metrics: 400 or more, not always a valid HTTP status code */
  constructor(
    readonly status: StatusError,
    readonly code: number,
  ) {
    super(status.message);
  }
}

const CODE_MIN = 400;
/** Largest HTTP status code of an error. Clients treat others as a server error: RFC 9110, section 15. */
const CODE_MAX = 599;
const CODE_OF_INVALID = 500;

/** Creates the denial. @param status as the webhook sent it */
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
