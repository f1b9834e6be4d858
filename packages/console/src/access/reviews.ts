// Reviews of the present user's access.
import { type AskedAction, type ListedRule, reviewAttributes } from "@orch/access";
import { json } from "../requests/api";
import { names } from "../session/settings";

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
}

export interface RulesAnswer {
  readonly resourceRules?: readonly ListedRule[] | null;
  readonly nonResourceRules?: readonly ListedRule[] | null;
  readonly incomplete?: boolean;
  readonly evaluationError?: string;
}

/** Asks whether the user may act. @throws ApiFailure */
export const reviewAccess = (asked: AskedAction, signal: AbortSignal): Promise<AccessAnswer> =>
  review("SelfSubjectAccessReview", reviewAttributes(asked), signal);

/** Asks for the rules of the user in a namespace. @throws ApiFailure */
export const reviewRules = (namespace: string, signal: AbortSignal): Promise<RulesAnswer> =>
  review("SelfSubjectRulesReview", { namespace }, signal);

async function review<T>(kind: string, spec: object, signal: AbortSignal): Promise<T> {
  const apiVersion = `${names().authorization}/v1`;
  const body = { apiVersion, kind, spec };
  const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
  return (await json<{ readonly status: T }>(path, { method: "POST", body, signal })).status;
}
