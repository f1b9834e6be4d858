// Authorities by which clients in the cluster verify the API server. Source: kube-controller-manager reference,
// `--root-ca-file`.
import { readFileSync } from "node:fs";
import type { TextSource } from "@orch/client";
import { section } from "@orch/machinery";
import { certificateBlocks, type Log, readOptionFile } from "@orch/platform";
import { type FollowedFile, fixed, followedFile } from "./followed-file";

/** Flags of every controller that publishes the authorities. */
export const ROOT_AUTHORITY_FLAGS = section("Service accounts", {
  "root-ca-file": {
    type: "string",
    default: "",
    help: "file with the CAs by which pods verify the API server; reloaded when it changes; empty: the CA of the client configuration",
  },
} as const);

/**
 * @param trusted authorities that the manager's own client trusts
 * @returns PEM; undefined when there are none
 * @throws Error for an unusable file
 */
export function rootAuthority(
  options: { readonly "root-ca-file": string },
  trusted: TextSource | undefined,
  log: Log,
): FollowedFile<string | undefined> {
  const file = options["root-ca-file"];
  if (file !== "") return followedFile({ file, log }, () => certificatesIn(readOptionFile("root-ca-file", file)));
  if (trusted?.kind !== "file") return fixed(trusted?.text);
  return followedFile({ file: trusted.path, log }, () => certificatesIn(readFileSync(trusted.path, "utf8")));
}

/** Validates PEM text. Rejects a file that is only partly written. */
function certificatesIn(text: string): string {
  const begun = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  if (begun === 0 || certificateBlocks(text).length < begun) throw new Error("it contains no PEM certificates");
  return text;
}
