// The connection of a program that runs inside the cluster: from its environment and its service account's files.
// Source: facts, client.md "Token files, certificates, in-cluster".

import { existsSync, readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { type Log, silentLog } from "@orch/platform";
import { type VocabularyName, vocabularyOf } from "@orch/schema";
import type { ConnectionSettings } from "../connection/connection-settings";

export interface InClusterOptions {
  readonly vocabulary?: VocabularyName;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default: where the cluster mounts it. */
  readonly folder?: string;
  readonly log?: Log;
}

/** @returns undefined for a program that does not run inside a cluster */
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
  if (!hasCa)
    log.warn("the service account has no authority file: the run time's authorities are trusted", { path: ca });
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
