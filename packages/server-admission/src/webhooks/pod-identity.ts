import { existsSync } from "node:fs";
import type { Identity } from "@orch/client";
import type { Vocabulary } from "@orch/schema";

/** The service account of the pod that this process runs in; undefined outside a pod. */
export function podIdentity({ name }: Pick<Vocabulary, "name">): Identity | undefined {
  const { inClusterConnection } = require("@orch/client") as typeof import("@orch/client");
  const credentials = inClusterConnection({ vocabulary: name })?.credentials;
  return credentials?.tokenFile !== undefined && existsSync(credentials.tokenFile) ? { credentials } : undefined;
}
