// The process of `orch up`: claims the data directory, runs the server with the controllers, and records how clients
// reach it.
import cluster from "node:cluster";
import { resolve } from "node:path";
import type { ReadyServer, ReadyTexts } from "@orch/apiserver-program";
import type { VocabularyName } from "@orch/schema";
import { pkiFolderOf, writeContext } from "./client-context";
import { claimFor, dropRecord, type RunRecord, recordReady } from "./run-record";

/** Decisions of `orch up` for the processes that serve. */
export interface UpPlan {
  readonly vocabulary: VocabularyName;
  /** Absolute path. */
  readonly dataDir: string;
  /** File for the context. Default: that of the vocabulary. */
  readonly file?: string;
  readonly writesContext: boolean;
}

/** Module of the standalone program, which is loaded from the pack of the programs. */
interface StandaloneModule {
  runStandalone(
    flags: readonly string[],
    options: { readonly before: readonly string[]; readonly ready: (server: ReadyServer) => ReadyTexts },
  ): void;
}

/** First word of the command line of the processes that serve. */
export const UP_PROCESS = "up-process";

/**
 * Runs the server until a signal ends it. @param flags options of the server and of the controllers
 * @returns the server that has the data directory already
 */
export function runUp(plan: UpPlan, flags: readonly string[]): RunRecord | undefined {
  const { dataDir, vocabulary } = plan;
  if (cluster.isPrimary) {
    const running = claimFor(dataDir, { pid: process.pid, vocabulary });
    if (running !== undefined) return running;
    process.once("exit", () => dropRecord(dataDir, process.pid));
  }
  // Workers of a supervisor are started with this command line.
  const before = [UP_PROCESS, JSON.stringify(plan)];
  const load = require("@orch/platform/bin/packed") as (path: string) => unknown;
  const path = require.resolve("@orch/standalone/dist/program/run-standalone.js");
  const { runStandalone } = load(path) as StandaloneModule;
  runStandalone(flags, { before, ready: (server) => readyTexts(plan, server) });
  return undefined;
}

function readyTexts(plan: UpPlan, { url, kubeconfig, authorityFiles }: ReadyServer): ReadyTexts {
  const { vocabulary, dataDir, file } = plan;
  // The supervisor of workers is the process that signals reach.
  const pid = cluster.isPrimary ? process.pid : process.ppid;
  const adminFile = kubeconfig === undefined ? undefined : resolve(kubeconfig);
  const written =
    adminFile === undefined || !plan.writesContext
      ? { notes: [], command: adminFile === undefined ? undefined : `orch --kubeconfig=${adminFile}` }
      : writeContext({
          ...{ vocabulary, dataDir, url, adminFile, file, environment: process.env },
          pkiFolder: pkiFolderOf(authorityFiles?.certificate),
        });
  const { notes, command } = written;
  const tries =
    command === undefined
      ? []
      : [
          `${command} get namespaces`,
          `${command} create configmap hello --from-literal=greeting=hi`,
          `${command} get configmaps --watch`,
          `${command} status`,
        ];
  recordReady(dataDir, pid, { url, notes, tries });
  return { notes, tries };
}
