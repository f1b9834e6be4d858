// Keeps the deprecated `serviceAccount` equal to `serviceAccountName`, which takes precedence.
import type { JsonObject } from "@orch/schema";

export function matchAccountNames(spec: JsonObject): void {
  const name = spec["serviceAccountName"] || spec["serviceAccount"];
  if (!name) return;
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
}
