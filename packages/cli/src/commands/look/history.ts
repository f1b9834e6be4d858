// `orch history`: what the server knows of the changes of an object: who manages which fields since when, the revisions of
// workloads, the recorded writes and states, and the objects that were deleted.
import type { Command } from "commander";
import { outputOption } from "../../output/format";
import { objectFormat } from "../../output/object-format";
import { ObjectPrinter } from "../../output/object-printer";
import { CliError } from "../../process/cli-error";
import { resourceVersionIn, stateAt } from "../../resources/object-history";
import type { Session } from "../../session/session";
import { type Target, targetsOf } from "./get/targets";
import type { HistoryOptions } from "./history/history-options";
import { showDeleted } from "./history/show-deleted";
import { type NamedTarget, showObject } from "./history/show-object";

const EXAMPLES = `
Examples:
  orch history deployment/web
  orch history configmap settings --fields
  orch history configmap/settings --revision=1234
  orch history configmaps --deleted

orch rollback brings a former state back, and orch undelete a deleted object.`;

const ONE_OBJECT = "name one object, as in orch history deployment/web";
const ONE_TYPE = "name one resource, as in orch history configmaps --deleted";

export function define(command: Command, session: Session): void {
  command
    .argument("<resource...>", "TYPE NAME or TYPE/NAME; TYPE with --deleted")
    .option("--fields", "show all fields of each manager and of each change")
    .option("--revision <version>", "show the state of the object at this resource version")
    .option("--limit <number>", "number of recorded writes, the newest first, up to 500; default: 100")
    .option("--deleted", "list the deleted objects of the resource whose states are kept")
    .option("-A, --all-namespaces", "with --deleted: the objects of all namespaces")
    .addOption(outputOption(["json", "yaml", "jsonpath="]))
    .option("--show-managed-fields", "with --revision: keep metadata.managedFields")
    .addHelpText("after", EXAMPLES);
  command.action(async (words: readonly string[], options: HistoryOptions) => {
    requireFitting(options);
    const targets = await targetsOf(session, words, options);
    const [target] = targets;
    if (target === undefined || targets.length > 1 || (target.name === undefined && options.deleted !== true))
      throw new CliError(options.deleted === true ? ONE_TYPE : ONE_OBJECT);
    if (options.deleted === true) return showDeleted(session, target, options);
    const named = target as NamedTarget;
    return options.revision === undefined
      ? showObject(session, named, options)
      : showState(session, named, { ...options, revision: options.revision });
  });
}

/** @throws CliError */
function requireFitting({ deleted, revision, limit, allNamespaces }: HistoryOptions): void {
  if (deleted === true && revision !== undefined)
    throw new CliError("--deleted lists objects, and --revision shows a state of one: use one of them");
  if (allNamespaces === true && deleted !== true) throw new CliError("--all-namespaces is used with --deleted only");
  if (limit === undefined) return;
  if (!/^[1-9]\d{0,8}$/.test(limit))
    throw new CliError(`--limit: ${JSON.stringify(limit)} must be a number above 0; the server lists at most 500`);
  if (deleted === true || revision !== undefined)
    throw new CliError("--limit bounds the recorded writes of an object: leave out --deleted and --revision");
}

async function showState(
  session: Session,
  target: Target & NamedTarget,
  { output = "yaml", ...options }: HistoryOptions & { readonly revision: string },
): Promise<void> {
  const state = await stateAt(session, target, resourceVersionIn("--revision", options.revision));
  const format = objectFormat({ output });
  if (format !== undefined) session.write(new ObjectPrinter(format, options).text(state));
}
