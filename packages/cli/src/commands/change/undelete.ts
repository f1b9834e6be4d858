// `orch undelete`: creates deleted objects again, from the history of the server. Source: docs/history.md.
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import { lastState, resourceVersionIn, restore, stateAt } from "../../resources/object-history";
import type { Session } from "../../session/session";
import { throwAll } from "./in-order";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import { addDryRun, type DryRunOption } from "./options";
import { addOutput, type OutcomeOptions } from "./outcome";
import { type Written, writeAll } from "./selected-write";
import { chosenTargets, type Target } from "./targets";

interface Options extends DryRunOption, OutcomeOptions, ManagerOption {
  readonly revision?: string;
  readonly dryRun: DryRunOption["dryRun"];
}

const EXAMPLES = `
Examples:
  orch history configmaps --deleted                  list the objects that can be brought back
  orch undelete configmap/settings
  orch undelete configmap/settings --revision=1234   in an earlier state than the last one

The new object has a new uid. Objects that went with it, such as the dependents of an owner, stay deleted.`;

export function define(command: Command, session: Session): void {
  command
    .argument("<resource...>", "TYPE NAME... or TYPE/NAME...")
    .option("--revision <version>", "resource version of the state; default: the last one before the deletion");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
  command.addHelpText("after", EXAMPLES);
  command.action(async (words: string[], options: Options) => {
    const { revision } = options;
    if (revision !== undefined) resourceVersionIn("--revision", revision);
    const { targets } = await chosenTargets(session, words, {});
    if (revision !== undefined && targets.length > 1)
      throw new CliError("--revision is the resource version of one object: name one, or leave the option out");
    const write = { targets, options, label: "restoring" };
    throwAll(await writeAll(session, write, (target) => restored(session, target, options)));
  });
}

async function restored(session: Session, target: Target, options: Options): Promise<Written> {
  const { revision, dryRun } = options;
  const verb = "restored";
  if (dryRun === "client") {
    const state = revision === undefined ? lastState(session, target) : stateAt(session, target, revision);
    return { verb, object: await state };
  }
  const fieldManager = managerOf(await session.vocabulary(), "undelete", options);
  return { verb, object: await restore(session, target, revision, { fieldManager, dryRun: dryRun === "server" }) };
}
