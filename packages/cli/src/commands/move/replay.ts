// `orch replay`: a server with the objects of a recording, which `--record` of another server has written.
import { vocabularyOf } from "@orch/schema";
import type { TestServer } from "@orch/test-server";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";

interface Options {
  readonly until?: string;
  readonly port?: string;
  readonly controllers?: boolean;
}

const REVISION = /^\d+$/;

export function define(command: Command, session: Session): void {
  command
    .argument("<file>", "recording of a server")
    .option("--until <point>", "last change: a resource version, or a time such as 2026-11-27T10:00:00Z")
    .option("--port <port>", "port of the server; default: a free one")
    .option("--controllers", "run the controllers, which go on from the recorded state")
    .addHelpText(
      "after",
      "\nExample:\n  orch apiserver --record changes.jsonl\n  orch replay changes.jsonl --until 1200",
    );
  command.action(async (file: string, options: Options) => {
    const server = await startServer(file, options);
    session.write(
      `# ${server.url}\nexport ${vocabularyOf(server.client.vocabulary).environment.orchconfig}=${server.kubeconfigPath}\n`,
    );
    session.tell("The server runs until it is interrupted.");
    await new Promise<void>((resolve) => {
      if (session.signal.aborted) resolve();
      session.signal.addEventListener("abort", () => resolve(), { once: true });
      process.once("SIGTERM", () => resolve());
    });
    await server.stop();
  });
}

async function startServer(file: string, options: Options): Promise<TestServer> {
  const { until, port, controllers = false } = options;
  if (port !== undefined && !REVISION.test(port)) throw new CliError(`--port: ${JSON.stringify(port)} is not a number`);
  // The server is large: it is not part of the bundle.
  const { startServer: start } = require("@orch/test-server") as typeof import("@orch/test-server");
  try {
    return await start({
      replay: file,
      controllers,
      ...(until === undefined ? {} : { until: REVISION.test(until) ? Number(until) : until }),
      ...(port === undefined ? {} : { port: Number(port) }),
    });
  } catch (error) {
    if (error instanceof TypeError) throw new CliError(error.message);
    throw error;
  }
}
