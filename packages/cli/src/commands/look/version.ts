// `orch version`: versions of the command and of the server.
import type { Command } from "commander";
import { formatted, outputOption } from "../../output/format";
import { PROGRAM_VERSION } from "../../process/program-version";
import type { Session } from "../../session/session";

interface Options {
  readonly client?: boolean;
  readonly output?: string;
}

export function define(command: Command, session: Session): void {
  command.option("--client", "show only the version of the command").addOption(outputOption(["json", "yaml"]));
  command.action(async (options: Options) => {
    const server = options.client === true ? undefined : await (await session.client()).getJson("/version");
    const versions = { client: { version: PROGRAM_VERSION, node: process.version }, ...(server && { server }) };
    if (options.output !== undefined) {
      session.write(formatted(versions, options.output));
      return;
    }
    session.write(`Client: orch ${PROGRAM_VERSION} (Node.js ${process.version})\n`);
    const { gitVersion, platform } = (server ?? {}) as Readonly<Record<string, string>>;
    if (server !== undefined) session.write(`Server: ${gitVersion} (${platform}, ${session.connection.server})\n`);
  });
}
