// Options of the token webhook that can be checked without reading a file.
import type { Vocabulary } from "@orch/schema";
import type { ServerConfig } from "../flags/server-flags";

/** @returns text: the error of the option */
export function webhookVersion(config: ServerConfig, { groups }: Vocabulary): { version: "v1" | "v1beta1" } | string {
  const text = config["authentication-token-webhook-version"];
  const version = text.startsWith(`${groups.authentication}/`) ? text.slice(groups.authentication.length + 1) : text;
  if (version === "v1" || version === "v1beta1") return { version };
  return `--authentication-token-webhook-version: ${JSON.stringify(text)} is not one of v1, v1beta1`;
}
