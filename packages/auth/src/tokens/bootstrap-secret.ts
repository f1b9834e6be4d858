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
