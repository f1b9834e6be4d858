// `orch apply`: makes objects as their files describe them.
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { type ApplyCommandOptions, runApply } from "./apply/run-apply";
import { addFieldManager } from "./managers";
import { addDryRun, addFiles, addSwitch, addValidate } from "./options";
import { addOutput } from "./outcome";

const EXAMPLES = `
Examples:
  orch apply -f app.yaml                 apply the objects of a file
  orch apply -R -f manifests/            and those of a folder with its folders
  cat app.yaml | orch apply -f -
  orch apply -f app.yaml --dry-run=server -o yaml`;

export function define(command: Command, session: Session): void {
  addFiles(command, "apply");
  command.option("-l, --selector <selector>", "only objects of the files whose labels match");
  addSwitch(command, "--server-side", "let the server merge the fields; off: as older clients did", true);
  addSwitch(command, "--client-side", "short for --server-side=false");
  addSwitch(command, "--force-conflicts", "take over fields that other managers set");
  addSwitch(command, "--force", "on the client side, delete and create objects that cannot be patched");
  command.option("--subresource <name>", "apply to a subresource, such as status");
  addFieldManager(command);
  addValidate(command);
  addDryRun(command);
  addOutput(command);
  command.addHelpText("after", EXAMPLES);
  command.action(async (given: ApplyCommandOptions & { readonly clientSide: boolean }) => {
    const options: ApplyCommandOptions = { ...given, serverSide: given.serverSide && !given.clientSide };
    if (options.filename === undefined) throw new CliError("must specify one of -f and -k");
    if (!options.serverSide && options.forceConflicts) {
      throw new CliError("--force-conflicts only works with --server-side");
    }
    if (options.serverSide && options.force) {
      throw new CliError("--force cannot be used with --server-side: --force-conflicts takes over fields");
    }
    await runApply(session, options);
  });
}
