// Command `orch whoami`, the short form of `orch auth whoami`.
import type { Command } from "commander";
import { outputOption } from "../../output/format";
import type { Session } from "../../session/session";
import { whoAmI } from "./whoami";

export function define(command: Command, session: Session): void {
  command
    .addOption(outputOption(["json", "yaml"]))
    .action((options: { readonly output?: string }) => whoAmI(session, options))
    .addHelpText("after", "\nExamples:\n  orch whoami\n  orch whoami --as=ann -o json");
}
