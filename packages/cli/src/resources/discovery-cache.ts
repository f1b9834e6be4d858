// Discovery documents on disk, in one file per server. A file that is old, damaged or of another form is read from the
// server again.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { ConnectionSettings, Discovery, TlsSettings } from "@orch/client";
import { makeFolder } from "@orch/platform";
import type { VocabularyName } from "@orch/schema";

export interface KeptDiscovery {
  readonly vocabulary: VocabularyName;
  readonly discovery: Discovery;
}

/** Life of a file, as in kubectl's cache (cli-runtime/pkg/genericclioptions/config_flags.go). */
const KEEP_MS = 6 * 3_600_000;
const FORM = 1;
const NAME = "orch-discovery.json";

export class DiscoveryCache {
  private readonly path: string;

  constructor(
    { server, tls }: ConnectionSettings,
    {
      folder,
      environment,
    }: { readonly folder: string | undefined; readonly environment: Readonly<Record<string, string | undefined>> },
  ) {
    const root = folder ?? environment["ORCHCACHEDIR"] ?? join(environment["HOME"] || homedir(), ".orch/cache");
    const place = server.replace(/^https?:\/\//, "").replaceAll(/[^\w.-]/g, "_");
    this.path = join(root, "discovery", `${place}_${markOf(tls)}`, NAME);
  }

  /** Returns what is kept; undefined when it is absent or too old. @param now time of the day, in milliseconds */
  read(now: number): KeptDiscovery | undefined {
    try {
      const ageMs = now - statSync(this.path).mtimeMs;
      if (ageMs > KEEP_MS || ageMs < 0) return undefined;
      const { form, ...kept } = JSON.parse(readFileSync(this.path, "utf8")) as KeptDiscovery & { form: number };
      return form === FORM ? kept : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps the documents, unless a part of them could not be read. A folder that cannot be written is no error. */
  write({ vocabulary, discovery }: KeptDiscovery): void {
    if (discovery.failures.length > 0) {
      rmSync(this.path, { force: true });
      return;
    }
    const made = `${this.path}.${randomBytes(4).toString("hex")}`;
    try {
      makeFolder(dirname(this.path), 0o700);
      writeFileSync(made, JSON.stringify({ form: FORM, vocabulary, discovery }), { mode: 0o600 });
      renameSync(made, this.path);
    } catch {
      rmSync(made, { force: true });
    }
  }
}

/** Returns a mark of the trusted authorities: another server at the same address, such as of a test, has others. */
function markOf({ ca }: TlsSettings): string {
  const text = ca === undefined ? "" : ca.kind === "text" ? ca.text : ca.path;
  return createHash("sha256").update(text).digest("hex").slice(0, 8);
}
