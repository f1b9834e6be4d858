// Storage version hash in discovery, by which migrators detect a change of the storage version.
import { createHash } from "node:crypto";
import type { ServedVersion } from "@orch/machinery";

/**
 * Returns standard base64 of the first 8 bytes of SHA-256 over `group/version/kind`. Source:
 * staging/src/k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
export function storageVersionHash(storage: Pick<ServedVersion, "group" | "version" | "kind">): string {
  const digest = createHash("sha256").update(`${storage.group}/${storage.version}/${storage.kind}`).digest();
  return digest.subarray(0, 8).toString("base64");
}
