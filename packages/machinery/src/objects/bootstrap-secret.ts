// Reads the Secret of a bootstrap token. Source: "Authenticating with Bootstrap Tokens" in the Kubernetes
// documentation, "Bootstrap Token Secret Format".
import { isObject, type JsonObject, parseTime } from "@orch/schema";

export const BOOTSTRAP_SECRET_PREFIX = "bootstrap-token-";

/** Returns a decoded key of the Secret, or "" when it is absent. */
export function bootstrapText({ data }: JsonObject, key: string): string {
  const value = isObject(data) ? data[key] : undefined;
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
}

/**
 * Returns the expiration time of the token.
 * @returns ms since the Unix epoch; Infinity for none; NaN when the Secret holds an invalid time, which counts as
 * expired
 */
export function bootstrapExpiryMs(secret: JsonObject): number {
  const text = bootstrapText(secret, "expiration");
  return text === "" ? Infinity : (parseTime(text) ?? Number.NaN);
}

const ID = /^[a-z0-9]{6}$/;
const HALF = /^[a-z0-9]{16}$/;
const GROUP_PREFIX = "system:bootstrappers:";
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Returns the groups in `auth-extra-groups`, valid or not. */
export function bootstrapExtraGroups(secret: JsonObject): readonly string[] {
  const text = bootstrapText(secret, "auth-extra-groups");
  return text === "" ? [] : text.split(",");
}

/**
 * Returns the violations of the format of a bootstrap token Secret: field, rule and remedy in one sentence each. An
 * invalid token neither authenticates nor signs. Values are not shown, because they may be part of the token.
 */
export function bootstrapSecretFlaws(secret: JsonObject): readonly string[] {
  const { metadata } = secret;
  const name = isObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
  const id = bootstrapText(secret, "token-id");
  const flaws: string[] = [];
  if (!ID.test(id)) flaws.push("data[token-id]: must be 6 characters of [a-z0-9]");
  else if (name !== `${BOOTSTRAP_SECRET_PREFIX}${id}`) {
    flaws.push(`metadata.name: must be ${JSON.stringify(BOOTSTRAP_SECRET_PREFIX)} followed by the token-id`);
  }
  if (!HALF.test(bootstrapText(secret, "token-secret"))) {
    flaws.push("data[token-secret]: must be 16 characters of [a-z0-9]");
  }
  if (!bootstrapExtraGroups(secret).every((group) => EXTRA_GROUP.test(group))) {
    flaws.push(
      `data[auth-extra-groups]: must be comma-separated groups, each ${JSON.stringify(GROUP_PREFIX)} followed by 1 to 256 characters of [a-z0-9:-], the last of [a-z0-9]`,
    );
  }
  if (Number.isNaN(bootstrapExpiryMs(secret))) {
    flaws.push('data[expiration]: must be a time of RFC 3339, such as "2030-01-01T00:00:00Z"');
  }
  return flaws;
}
