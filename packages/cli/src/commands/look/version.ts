// `orch version`: versions of the command and of the server.
import type { JsonValue } from "@orch/schema";
import type { Command } from "commander";
import { visible } from "../../output/columns";
import { formatted, outputOption } from "../../output/format";
import { PROGRAM_VERSION } from "../../process/program-version";
import type { Session } from "../../session/session";

const PLATFORM = `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;

interface Options {
  readonly client?: boolean;
  readonly output?: string;
}

export function define(command: Command, session: Session): void {
  command.option("--client", "show only the version of the command").addOption(outputOption(["json", "yaml"]));
  command.action(async (options: Options) => {
    // The version of the command is shown even when no server answers.
    const { server, failure } = options.client === true ? {} : await serverVersion(session);
    const [major, minor] = PROGRAM_VERSION.split(".");
    const clientVersion = { gitVersion: `v${PROGRAM_VERSION}`, goVersion: `node${process.version}`, major, minor };
    const versions = {
      clientVersion: { ...clientVersion, platform: PLATFORM },
      ...(server !== undefined && { serverVersion: server }),
    };
    if (options.output !== undefined) {
      session.write(formatted(versions, options.output));
      if (failure !== undefined) throw failure;
      return;
    }
    session.write(`Client Version: v${PROGRAM_VERSION}\nNode.js Version: ${process.version}\n`);
    const { gitVersion } = (server ?? {}) as Readonly<Record<string, string>>;
    if (server !== undefined) session.write(`Server Version: ${visible(String(gitVersion))}\n`);
    if (failure !== undefined) throw failure;
  });
}

async function serverVersion(session: Session): Promise<{ readonly server?: JsonValue; readonly failure?: unknown }> {
  try {
    return { server: await (await session.client()).getJson("/version") };
  } catch (failure) {
    return { failure };
  }
}
