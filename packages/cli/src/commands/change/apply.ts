// `orch apply`: makes objects as their files describe them.
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import { collected } from "../../process/global-options";
import type { Session } from "../../session/session";
import { type ApplyCommandOptions, runApply, type SetWork } from "./apply/run-apply";
import { addFieldManager } from "./managers";
import { addDryRun, addFiles, addSwitch, addValidate } from "./options";
import { addOutput } from "./outcome";

const EXAMPLES = `
Examples:
  orch apply -f app.yaml                 apply the objects of a file
  orch apply -R -f manifests/            and those of a folder with its folders
  cat app.yaml | orch apply -f -
  orch apply -f app.yaml --dry-run=server -o yaml
  orch apply -f app/ -n shop --prune --applyset=app      delete what the folder no longer has`;

export function define(command: Command, session: Session): void {
  addFiles(command, "apply");
  command.option("-l, --selector <selector>", "only objects of the files whose labels match");
  addSwitch(command, "--server-side", "let the server merge the fields; off: as older clients did", true);
  addSwitch(command, "--client-side", "short for --server-side=false");
  addSwitch(command, "--force-conflicts", "take over fields that other managers set");
  addSwitch(command, "--overwrite", "on the client side, take the values of the files when both have changed", true);
  addSwitch(command, "--force", "on the client side, delete and create objects that cannot be patched");
  command.option("--grace-period <seconds>", "with --force, time to stop; -1: that of the kind", "-1");
  addSwitch(command, "--prune", "delete objects that were applied before and are not any more");
  command
    .option("--applyset <[resource/]name>", "parent of the set of objects, a secret by default, for --prune")
    .option("--prune-allowlist <group/version/kind>", "on the client side, kinds to prune; may be repeated", collected);
  addSwitch(command, "--all", "on the client side, prune without a selector");
  command.option("--subresource <name>", "apply to a subresource, such as status");
  addFieldManager(command);
  addValidate(command);
  addDryRun(command);
  addOutput(command);
  command.addHelpText("after", EXAMPLES);
  command.action(async (given: ApplyCommandOptions & { readonly clientSide: boolean; readonly overwrite: boolean }) => {
    const options: ApplyCommandOptions = { ...given, serverSide: given.serverSide && !given.clientSide };
    if (options.filename === undefined) throw new CliError("must specify one of -f and -k");
    if (!given.overwrite)
      throw new CliError("--overwrite=false is not supported: use --server-side, which finds conflicts");
    if (options.applyset !== undefined && !options.prune) throw new CliError("--applyset requires --prune");
    if (!options.serverSide && options.forceConflicts) {
      throw new CliError("--force-conflicts only works with --server-side");
    }
    if (options.serverSide && options.force) {
      throw new CliError("--force cannot be used with --server-side: --force-conflicts takes over fields");
    }
    await runApply(session, options, options.prune ? await pruneWork(session, options) : undefined);
  });
}

/** Returns the work that deletes former objects. @throws CliError for options that do not fit together */
async function pruneWork(session: Session, options: ApplyCommandOptions): Promise<SetWork> {
  const { applySetWork, selectionWork } = await import("./apply/prune.js");
  const names = await session.vocabulary();
  const { applyset, selector, all, serverSide } = options;
  if (applyset !== undefined) {
    if (selector !== undefined || all || options.pruneAllowlist !== undefined) {
      throw new CliError("--applyset cannot be combined with --selector, --all or --prune-allowlist");
    }
    return applySetWork(session, applyset, options);
  }
  if (serverSide) {
    throw new CliError(
      `--prune needs --applyset=NAME: a secret of that name in the namespace remembers what was applied (${names.programs.orchctl} calls it an apply set)`,
    );
  }
  if (selector === undefined && !all) {
    throw new CliError(
      "all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector",
    );
  }
  return selectionWork(session, options);
}
