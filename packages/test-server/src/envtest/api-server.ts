// The program `kube-apiserver` of the package, which envtest of controller-runtime and similar libraries start: a server
// whose objects are in memory, with the controllers that tests miss most.
import { copyFileSync, renameSync, rmSync } from "node:fs";
import type { Companion, CompanionServer } from "@orch/apiserver-program";
import { type Log, pauseUnlessAborted, systemClock } from "@orch/platform";
import { whenParentEnds } from "../process/parent-watch";
import { makeProcessFolder } from "../process/process-folder";
import {
  commandLineWarnings,
  controllersIn,
  DEFAULT_CONTROLLERS,
  type EnvtestVariables,
  releaseOf,
  serverWords,
} from "./command-line";

/** The controllers are loaded and started after the first requests of the test, which they would delay. */
const CONTROLLERS_DELAY_MS = 1_000;

const helpOpening = (
  program: string,
): string => `Serves the Kubernetes API for tests, with the objects in memory. Needs no etcd.

Usage: ${program} [options]

ORCH_ENVTEST_CONTROLLERS chooses the controllers that run in the process: on (${DEFAULT_CONTROLLERS.join(" and ")}), off,
* for all, or names. ORCH_ENVTEST_RELEASE chooses the Kubernetes release. ORCH_ENVTEST_KUBECONFIG names a file that
receives a kubeconfig of the administrator. The server ends with the process that started it, unless ORCH_ENVTEST_ORPHAN
is stays.`;

/** @param words the command line without the program's name */
export async function runApiServer(words: readonly string[], variables: EnvtestVariables): Promise<void> {
  const { ORCH_ENVTEST_CONTROLLERS, ORCH_ENVTEST_RELEASE: release, ORCH_ENVTEST_KUBECONFIG: kubeconfig } = variables;
  if (words.some((word) => /^--version(=|$)/.test(word))) {
    process.stdout.write(`${versionText(releaseOf(words, release))}\n`);
    return;
  }
  const names = controllersIn(ORCH_ENVTEST_CONTROLLERS);
  const problem = problemOf(names);
  if (problem !== undefined) {
    process.stderr.write(`error: ORCH_ENVTEST_CONTROLLERS: ${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const folder = makeProcessFolder("orch-envtest");
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // There is nothing to keep, and a test waits for the end: a graceful shutdown would only take longer.
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => process.exit(0));
  if (variables.ORCH_ENVTEST_ORPHAN !== "stays") whenParentEnds(endOrphan);
  const { runProgram } = require("@orch/apiserver-program") as typeof import("@orch/apiserver-program");
  const { vocabularyOf } = require("@orch/schema") as typeof import("@orch/schema");
  await runProgram(serverWords(words, { folder, release }), {
    opening: helpOpening(vocabularyOf("kubernetes").programs.apiserver),
    warnings: commandLineWarnings(words),
    companion: (server) => accompany(server, { names, kubeconfig }),
  });
}

function endOrphan(): void {
  process.stderr.write("the process that started this server has ended: the server ends, too\n");
  process.exit(0);
}

/** Clients compare the text with that of other programs of Kubernetes: `Kubernetes v1.36.0`, with more text after it. */
function versionText(release: string | undefined): string {
  const { versionInfo } = require("@orch/apiserver") as typeof import("@orch/apiserver");
  const { servedRelease } = require("@orch/server-config") as typeof import("@orch/server-config");
  const { vocabularyOf } = require("@orch/schema") as typeof import("@orch/schema");
  const vocabulary = vocabularyOf("kubernetes");
  const flags = { "emulated-release": release ?? "", "emulated-version": [], "min-compatibility-version": [] };
  return `Kubernetes ${versionInfo(vocabulary, servedRelease(flags, vocabulary)).gitVersion}`;
}

/** Writes the kubeconfig that was asked for, and starts the controllers. */
async function accompany(
  { kubeconfig: ofControllers, operatorKubeconfig, logger }: CompanionServer,
  { names, kubeconfig }: { readonly names: readonly string[]; readonly kubeconfig: string | undefined },
): Promise<Companion> {
  if (kubeconfig && operatorKubeconfig !== undefined) copyWhole(operatorKubeconfig, kubeconfig);
  if (names.length === 0 || ofControllers === undefined) return { stop: async () => {} };
  const end = new AbortController();
  const done = pauseUnlessAborted(systemClock, CONTROLLERS_DELAY_MS, end.signal).then(() =>
    end.signal.aborted ? undefined : runWhile(end.signal, { kubeconfig: ofControllers, names, logger }),
  );
  return {
    stop() {
      end.abort(new Error("the server is stopping"));
      return done;
    },
  };
}

function runWhile(
  signal: AbortSignal,
  {
    kubeconfig,
    names,
    logger,
  }: { readonly kubeconfig: string; readonly names: readonly string[]; readonly logger: Log },
): Promise<void> {
  const { loadConnection } = require("@orch/client") as typeof import("@orch/client");
  const { chosenControllers } = require("@orch/controllers") as typeof import("@orch/controllers");
  const { runForTests } = require("../controllers/run-for-tests") as typeof import("../controllers/run-for-tests");
  const connection = loadConnection({ path: kubeconfig });
  const options = { connection, vocabulary: "kubernetes", controllers: chosenControllers(names), log: logger } as const;
  return runForTests(options, signal);
}

/** Writes the file in one step, because others wait until it exists. */
function copyWhole(from: string, to: string): void {
  const made = `${to}.${process.pid}`;
  copyFileSync(from, made);
  renameSync(made, to);
}

/** @returns what is wrong with the names of controllers */
function problemOf(names: readonly string[]): string | undefined {
  if (names.every((name) => DEFAULT_CONTROLLERS.includes(name))) return undefined;
  const { chosenControllers } = require("@orch/controllers") as typeof import("@orch/controllers");
  try {
    chosenControllers(names);
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/^--controllers: /, "");
  }
}
