// What discovery tells of the version in which a resource is stored, so that migrators notice a change of it.
import { createHash } from "node:crypto";
import type { ServedVersion } from "@orch/machinery";

/** Standard base64 of the first 8 bytes of SHA-256 over `group/version/kind`. Source: facts, http.md "Discovery". */
export function storageVersionHash(storage: Pick<ServedVersion, "group" | "version" | "kind">): string {
  const digest = createHash("sha256").update(`${storage.group}/${storage.version}/${storage.kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}
