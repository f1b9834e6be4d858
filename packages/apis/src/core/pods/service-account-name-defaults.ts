// A pod's account has two names, of which one is old: both are kept, and the new one counts.
import type { JsonObject } from "@orch/schema";

export function matchAccountNames(spec: JsonObject): void {
  const name = spec["serviceAccountName"] || spec["serviceAccount"];
  if (!name) return;
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
}
