// `orch options`: the options that all commands accept.
import type { Command } from "commander";
import { columnText } from "../../output/columns";
import { globalOptions } from "../../process/global-options";
import type { Session } from "../../session/session";

export function define(command: Command, session: Session): void {
  command.action(() => {
    session.write("The following options can be passed to any command:\n\n");
    session.write(columnText(globalOptions().map(({ flags, description }) => [`  ${flags}`, description])));
  });
}
