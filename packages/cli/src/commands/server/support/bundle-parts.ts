// Parts of a support bundle: pages of the server, and files of a data directory of this machine.
import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "@orch/client";
import { factsIn } from "../certificates/certificate-facts";
import { Metrics } from "../pages/metrics-text";
import { readPage } from "../pages/page";
import { OBJECT_NAMES } from "../pages/store-figures";
import { LOG_NAME, runningIn } from "../up/run-record";

export interface Part {
  readonly name: string;
  readonly text: string;
}

/** Reasons why a part is absent, by its name. */
export type Lacking = { readonly name: string; readonly why: string };

const PAGES: readonly (readonly [name: string, path: string])[] = [
  ["health/readyz.txt", "/readyz?verbose"],
  ["health/livez.txt", "/livez?verbose"],
  ["versions/server.json", "/version"],
  ["metrics/metrics.txt", "/metrics"],
  ["metrics/flow-control.txt", "/debug/api_priority_and_fairness/dump_priority_levels"],
  ["reports/deprecations.json", "/debug/deprecations"],
  ["reports/definitions.json", "/debug/definitions"],
  ["configuration/api-groups.json", "/apis"],
];
const PAGE_TIMEOUT_MS = 30_000;
const LOG_BYTES = 4 * 1024 * 1024;

export async function serverParts(client: Client, signal: AbortSignal): Promise<{ parts: Part[]; lacking: Lacking[] }> {
  const parts: Part[] = [];
  const lacking: Lacking[] = [];
  for (const [name, path] of PAGES) {
    try {
      const { status, text } = await readPage(client, { path, signal, timeoutMs: PAGE_TIMEOUT_MS });
      if (status === 200 || name.startsWith("health/")) parts.push({ name, text });
      else lacking.push({ name, why: `the server answered ${status}` });
    } catch (error) {
      signal.throwIfAborted();
      lacking.push({ name, why: (error as Error).message });
    }
  }
  const metrics = parts.find(({ name }) => name === "metrics/metrics.txt");
  if (metrics !== undefined) parts.push({ name: "counts/objects.json", text: countsText(metrics.text) });
  return { parts, lacking };
}

function countsText(metrics: string): string {
  const wanted = new Set(OBJECT_NAMES);
  const samples = new Metrics(metrics, (name) => wanted.has(name)).firstOf(...OBJECT_NAMES);
  const counts = samples.map(({ labels, value }) => {
    const { resource = "", group = "" } = labels;
    return [group === "" ? resource : `${resource}.${group}`, value] as const;
  });
  return JSON.stringify(Object.fromEntries(counts), null, 2);
}

/** Reads what helps of a data directory: its log, its files by name and size, certificates, and the server's options. */
export function directoryParts(dataDir: string, nowMs: number): readonly Part[] {
  const parts: Part[] = [];
  const files = listing(dataDir, "");
  parts.push({ name: "data-dir/files.txt", text: `${files.join("\n")}\n` });
  const log = tailOf(join(dataDir, LOG_NAME));
  if (log !== undefined) parts.push({ name: "logs/up.log", text: log });
  const pki = join(dataDir, "pki");
  const certificates = namesOf(pki).filter((name) => name.endsWith(".crt"));
  const facts = certificates.flatMap((name) => {
    try {
      return factsIn(name, readFileSync(join(pki, name), "utf8"), nowMs);
    } catch {
      return [];
    }
  });
  if (facts.length > 0) parts.push({ name: "data-dir/certificates.json", text: JSON.stringify(facts, null, 2) });
  const record = runningIn(dataDir);
  if (record !== undefined) {
    parts.push({ name: "configuration/process.json", text: JSON.stringify(record, null, 2) });
    const options = optionsOf(record.pid);
    if (options !== undefined) parts.push({ name: "configuration/options.txt", text: options });
  }
  return parts;
}

/** Options on the command line of a process. */
function optionsOf(pid: number): string | undefined {
  try {
    return `${readFileSync(`/proc/${pid}/cmdline`, "utf8")
      .split("\0")
      .filter((word) => word.startsWith("--"))
      .join("\n")}\n`;
  } catch {
    return undefined;
  }
}

const FILES_MAX = 2000;

function listing(root: string, folder: string): string[] {
  return namesOf(join(root, folder))
    .slice(0, FILES_MAX)
    .flatMap((name) => {
      const path = join(folder, name);
      const found = statSync(join(root, path), { throwIfNoEntry: false });
      if (found === undefined) return [];
      const mode = (found.mode & 0o777).toString(8);
      if (found.isDirectory())
        return folder === "" ? [`${mode} ${path}/`, ...listing(root, path)] : [`${mode} ${path}/`];
      return [`${mode} ${path} ${found.size} ${found.mtime.toISOString()}`];
    });
}

function namesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function tailOf(path: string): string | undefined {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, LOG_BYTES));
      readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8");
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
