// Maps the claims of a verified token to a user. Source: Kubernetes documentation, "Authenticating", "OpenID Connect
// Tokens".
import type { UserInfo } from "@orch/machinery";
import { type JsonObject, memberOf } from "@orch/schema";
import { credentialId } from "../identity/credential-ids";
import type { ClaimMapping, ExpressionRule, JwtConfiguration } from "./jwt-configuration";
import { type ExpressionBudget, newExpressionBudget, type TokenExpression } from "./token-expression";

/**
 * Reason why the claims describe no user. The message names claims and rules, but no values: those are personal data.
 */
export class ClaimsError extends Error {
  override readonly name = "ClaimsError";
}

/**
 * Maximum number of groups of one user: every authorization decision reads them. The size of a token limits them
 * further; distributed claims and expressions do not.
 */
const GROUPS_MAX = 10_000;

/**
 * @param credentialKey attribute that holds the id of the token; undefined: users have none
 * @throws ClaimsError
 */
export function userOfClaims(configuration: JwtConfiguration, claims: JsonObject, credentialKey?: string): UserInfo {
  const budget = newExpressionBudget();
  for (const rule of configuration.claimRules) {
    if (rule.kind === "claim") requireClaim(claims, rule.claim, rule.requiredValue);
    else requireRule(rule, claims, budget);
  }
  const { username, groups, uid, extra } = configuration;
  const name = textBy(username, "username", claims, budget);
  if (name === "") throw new ClaimsError("the username is empty");
  const user: UserInfo = {
    name,
    ...(uid && { uid: textBy(uid, "uid", claims, budget) }),
    groups: groups === undefined ? [] : textsBy(groups, claims, budget),
    ...extraOf(extra, claims, budget, credentialKey),
  };
  if (configuration.userRules.length > 0) {
    const subject = subjectOf(user);
    for (const rule of configuration.userRules) requireRule(rule, subject, budget);
  }
  return user;
}

function requireClaim(claims: JsonObject, claim: string, requiredValue: string): void {
  const value = memberOf(claims, claim);
  if (value === undefined) throw new ClaimsError(`required claim ${claim} is missing`);
  if (typeof value !== "string") throw new ClaimsError(`required claim ${claim} is not a string`);
  if (value !== requiredValue) throw new ClaimsError(`required claim ${claim} has another value`);
}

function requireRule({ expression, message }: ExpressionRule, subject: JsonObject, budget: ExpressionBudget): void {
  const value = evaluated(expression, subject, budget);
  if (value === true) return;
  throw new ClaimsError(`validation expression '${expression.source}' failed${message === "" ? "" : `: ${message}`}`);
}

function evaluated(expression: TokenExpression, subject: JsonObject, budget: ExpressionBudget) {
  try {
    return expression.evaluate(subject, budget);
  } catch (error) {
    throw new ClaimsError(`expression '${expression.source}': ${(error as Error).message}`);
  }
}

const EMAIL = "email";
const EMAIL_VERIFIED = "email_verified";

function textBy(mapping: ClaimMapping, what: string, claims: JsonObject, budget: ExpressionBudget): string {
  if (mapping.kind === "expression") {
    const value = evaluated(mapping.expression, claims, budget);
    if (typeof value !== "string") throw new ClaimsError(`the ${what} is not a string`);
    return value;
  }
  const { claim, prefix } = mapping;
  const value = memberOf(claims, claim);
  if (value === undefined) throw new ClaimsError(`claim ${claim} is missing`);
  if (typeof value !== "string") throw new ClaimsError(`claim ${claim} is not a string`);
  if (what === "username" && claim === EMAIL) requireVerifiedEmail(claims);
  return value === "" ? "" : prefix + value;
}

/** Rejects an unverified email. A token without the claim is accepted. */
function requireVerifiedEmail(claims: JsonObject): void {
  const verified = memberOf(claims, EMAIL_VERIFIED);
  if (verified === undefined || verified === true) return;
  throw new ClaimsError(verified === false ? "the email is not verified" : `claim ${EMAIL_VERIFIED} is not a boolean`);
}

function textsBy(mapping: ClaimMapping, claims: JsonObject, budget: ExpressionBudget): readonly string[] {
  if (mapping.kind === "expression") return bounded(textsOf(evaluated(mapping.expression, claims, budget)));
  const { claim, prefix } = mapping;
  const value = memberOf(claims, claim);
  if (value === undefined || value === null) return [];
  const list = typeof value === "string" ? [value] : value;
  if (!Array.isArray(list) || !list.every((each) => typeof each === "string")) {
    throw new ClaimsError(`claim ${claim} is neither a string nor a list of strings`);
  }
  return bounded(list).map((each) => prefix + each);
}

function bounded(groups: readonly string[]): readonly string[] {
  if (groups.length <= GROUPS_MAX) return groups;
  throw new ClaimsError(`the token has ${groups.length} groups; at most ${GROUPS_MAX} are allowed`);
}

/** Converts a result to texts. Empty texts are dropped. */
function textsOf(value: ReturnType<TokenExpression["evaluate"]>): readonly string[] {
  if (value === null || value === "") return [];
  if (typeof value === "string") return [value];
  if (typeof value === "boolean") throw new ClaimsError("an expression returns a boolean in place of strings");
  return value.filter((each) => each !== "");
}

function extraOf(
  mappings: JwtConfiguration["extra"],
  claims: JsonObject,
  budget: ExpressionBudget,
  credentialKey: string | undefined,
): { readonly extra?: Readonly<Record<string, readonly string[]>> } {
  const extra: Record<string, readonly string[]> = {};
  const id = memberOf(claims, "jti");
  if (credentialKey !== undefined && typeof id === "string" && id !== "") extra[credentialKey] = [credentialId(id)];
  for (const { key, value } of mappings) {
    const texts = textsOf(evaluated(value, claims, budget));
    if (texts.length > 0) extra[key] = texts;
  }
  return Object.keys(extra).length === 0 ? {} : { extra };
}

/** Returns the user as validation rules see it. */
function subjectOf({ name, uid = "", groups, extra = {} }: UserInfo): JsonObject {
  return {
    username: name,
    uid,
    groups: [...groups],
    extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
  };
}
