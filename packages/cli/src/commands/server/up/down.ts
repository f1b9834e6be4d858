// `orch down`: stops a server that `orch up` started, and waits until it has ended.
import { relative } from "node:path";
import { parseGoDuration } from "@orch/machinery";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { isAlive, runningIn } from "./run-record";
import { dataDirOf, dataDirText } from "./up";

interface Options {
  readonly kubernetes?: boolean;
  readonly dataDir?: string;
  readonly timeout: string;
}

const LOOK_MS = 50;

export function define(command: Command, session: Session): void {
  command
    .option("--kubernetes", "the server with the names of Kubernetes")
    .option("--data-dir <folder>", dataDirText)
    .option("--timeout <duration>", "time to wait for the end", "60s")
    .addHelpText("after", "\nThe objects stay in the data directory, unless the server has kept them in memory.");
  command.action(async (options: Options) => {
    const waitMs = parseGoDuration(options.timeout);
    if (waitMs === undefined || waitMs <= 0) {
      throw new CliError(`--timeout: ${JSON.stringify(options.timeout)} is not a duration, such as 30s`);
    }
    const kubernetes = options.kubernetes === true || session.options.vocabulary === "kubernetes";
    const dataDir = dataDirOf({ ...options, kubernetes });
    const place = relative(process.cwd(), dataDir) || ".";
    const running = runningIn(dataDir);
    if (running === undefined) {
      session.write(`No server of orch up runs in ${place}.\n`);
      return;
    }
    const { pid } = running;
    process.kill(pid, "SIGTERM");
    for (const start = performance.now(); isAlive(running); ) {
      session.signal.throwIfAborted();
      if (performance.now() - start > waitMs) {
        throw new CliError(
          `process ${pid} has not ended within ${options.timeout}: see its log, or end it by kill -9 ${pid}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    session.write(`Stopped the server in ${place} (process ${pid}).\n`);
  });
}
