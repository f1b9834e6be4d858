// Connection of a program in a pod of the cluster, from its environment and the files of its service account. Source:
// Kubernetes documentation, "Accessing the Kubernetes API from a Pod".

import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { type Log, silentLog } from "@orch/platform";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import type { ConnectionSettings } from "../connection/connection-settings";

export interface InClusterOptions {
  readonly vocabulary?: VocabularyName;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default: the folder where the service account volume is mounted. */
  readonly folder?: string;
  readonly log?: Log;
}

/** Returns the connection. @returns undefined for a program outside of a cluster */
export function inClusterConnection(options: InClusterOptions = {}): ConnectionSettings | undefined {
  const { environment = process.env, log = silentLog } = options;
  const names = vocabularyOf(options.vocabulary ?? "orch");
  const host = environment[names.environment.serviceHost];
  const port = environment[names.environment.servicePort];
  if (!host || !port) return undefined;
  const folder = options.folder ?? names.mountPaths.varRunSecretsServiceaccount;
  const tokenFile = join(folder, "token");
  if (!existsSync(tokenFile)) return undefined;
  const ca = join(folder, "ca.crt");
  const hasCa = existsSync(ca);
  if (!hasCa) log.warn("the service account has no CA file: the default CAs of Node.js are trusted", { path: ca });
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    tls: hasCa ? { ca: { kind: "file", path: ca } } : {},
    credentials: { tokenFile },
    namespace: environment["POD_NAMESPACE"] || textOf(join(folder, "namespace")) || "default",
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}
