// What the Secret of a token with which machines join says. Source: access-control, "Bootstrap token secret".
import { isObject, type JsonObject, parseTime } from "@orch/schema";

export const BOOTSTRAP_SECRET_PREFIX = "bootstrap-token-";

/** @returns "" where the Secret has no such key */
export function bootstrapText({ data }: JsonObject, key: string): string {
  const value = isObject(data) ? data[key] : undefined;
  return typeof value === "string" ? Buffer.from(value, "base64").toString("utf8") : "";
}

/** From when on the token is good for nothing. @returns ms since 1970; Infinity: never; NaN: the Secret names no time, which counts as past */
export function bootstrapExpiryMs(secret: JsonObject): number {
  const text = bootstrapText(secret, "expiration");
  return text === "" ? Infinity : (parseTime(text) ?? Number.NaN);
}

const ID = /^[a-z0-9]{6}$/;
const HALF = /^[a-z0-9]{16}$/;
const GROUP_PREFIX = "system:bootstrappers:";
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Returns the groups that `auth-extra-groups` names, well formed or not. */
export function bootstrapExtraGroups(secret: JsonObject): readonly string[] {
  const text = bootstrapText(secret, "auth-extra-groups");
  return text === "" ? [] : text.split(",");
}

/**
 * Returns what breaks the format of a token's Secret: field, rule and remedy in a sentence each. Such a token neither authenticates nor
 * signs. No value is told, since one may be a part of the token.
 */
export function bootstrapSecretFlaws(secret: JsonObject): readonly string[] {
  const { metadata } = secret;
  const name = isObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
  const id = bootstrapText(secret, "token-id");
  const flaws: string[] = [];
  if (!ID.test(id)) flaws.push("data[token-id]: must be 6 characters of [a-z0-9]");
  else if (name !== `${BOOTSTRAP_SECRET_PREFIX}${id}`) {
    flaws.push(`metadata.name: must be ${JSON.stringify(BOOTSTRAP_SECRET_PREFIX)} and then the token-id`);
  }
  if (!HALF.test(bootstrapText(secret, "token-secret"))) {
    flaws.push("data[token-secret]: must be 16 characters of [a-z0-9]");
  }
  if (!bootstrapExtraGroups(secret).every((group) => EXTRA_GROUP.test(group))) {
    flaws.push(
      `data[auth-extra-groups]: must be groups with commas between, each ${JSON.stringify(GROUP_PREFIX)} and then 1 to 256 characters of [a-z0-9:-], the last of [a-z0-9]`,
    );
  }
  if (Number.isNaN(bootstrapExpiryMs(secret))) {
    flaws.push('data[expiration]: must be a time of RFC 3339, such as "2030-01-01T00:00:00Z"');
  }
  return flaws;
}
