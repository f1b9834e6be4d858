// The authorities by which everything in the cluster knows the API server. Source: facts, flags.json "serviceAccounts".
import { readFileSync } from "node:fs";
import type { TextSource } from "@orch/client";
import { section } from "@orch/machinery";
import { readOptionFile } from "@orch/platform";

/** Of every duty that hands them out. */
export const ROOT_AUTHORITY_FLAGS = section("Service accounts", {
  "root-ca-file": {
    type: "string",
    default: "",
    help: "authorities by which pods know the API server; empty: those of the client configuration",
  },
} as const);

/**
 * Read anew each time, for files change.
 * @param trusted those that the manager's own client goes by
 * @returns PEM; undefined where there are none
 */
export function rootAuthority(
  options: { readonly "root-ca-file": string },
  trusted: TextSource | undefined,
): () => string | undefined {
  const file = options["root-ca-file"];
  if (file !== "") return () => readOptionFile("root-ca-file", file);
  return () => (trusted?.kind === "file" ? readFileSync(trusted.path, "utf8") : trusted?.text);
}
