// `orch rollback`: updates an object to a former state, which the history of the server has kept. Source: docs/history.md.
import { nameOf } from "@orch/machinery";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import { resourceVersionIn, rollBack, stateAt } from "../../resources/object-history";
import type { Session } from "../../session/session";
import { Differences, FAILED } from "../look/diff/differences";
import { throwAll } from "./in-order";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import { addDryRun, addSwitch, type DryRunOption } from "./options";
import { addOutput, type OutcomeOptions } from "./outcome";
import { type Written, writeAll } from "./selected-write";
import { chosenTargets, liveObject, type Target } from "./targets";

interface Options extends DryRunOption, OutcomeOptions, ManagerOption {
  readonly toRevision?: string;
  readonly resourceVersion?: string;
  readonly diff: boolean;
  readonly dryRun: DryRunOption["dryRun"];
}

const EXAMPLES = `
Examples:
  orch history configmap/settings                      list the resource versions of the states
  orch rollback configmap/settings --to-revision=1234
  orch rollback configmap/settings --to-revision=1234 --diff

With --diff, the exit code is 0 without differences, 1 with differences, and 2 after an error.
orch rollout undo takes back the pod template of a workload alone, from its replica sets.`;

export function define(command: Command, session: Session): void {
  command
    .argument("<resource...>", "TYPE NAME or TYPE/NAME")
    .option("--to-revision <version>", "resource version of the state, which orch history lists")
    .option("--resource-version <version>", "roll back only if the object still has this version");
  addSwitch(command, "--diff", "show what would change, from a dry run on the server, and change nothing");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
  command.addHelpText("after", EXAMPLES);
  command.action(async (words: string[], options: Options) => {
    try {
      await run(session, words, options);
    } catch (error) {
      if (options.diff) session.exitCode = FAILED;
      throw error;
    }
  });
}

async function run(session: Session, words: readonly string[], options: Options): Promise<void> {
  if (options.toRevision === undefined)
    throw new CliError("--to-revision is not set: name a resource version, which orch history TYPE/NAME lists");
  if (options.diff && (options.output !== undefined || options.dryRun !== "none"))
    throw new CliError("--diff shows a dry run of the server: it cannot be combined with --output and --dry-run");
  const revision = resourceVersionIn("--to-revision", options.toRevision);
  if (options.resourceVersion !== undefined) resourceVersionIn("--resource-version", options.resourceVersion);
  const { targets } = await chosenTargets(session, words, {});
  const [target] = targets;
  if (target === undefined || targets.length > 1)
    throw new CliError("name one object: each resource version is that of one object");
  if (options.diff) return showDifference(session, target, { ...options, revision });
  const write = { targets, options, label: "rolling back" };
  throwAll(await writeAll(session, write, (each) => rolledBack(session, each, { ...options, revision })));
}

type Rollback = Options & { readonly revision: string };

async function rolledBack(
  session: Session,
  target: Target,
  { revision, dryRun, ...options }: Rollback,
): Promise<Written> {
  if (dryRun === "client") return { verb: "rolled back", object: await stateAt(session, target, revision) };
  const object = await rollBack(session, target, revision, {
    ...(options.resourceVersion !== undefined && { resourceVersion: options.resourceVersion }),
    fieldManager: managerOf(await session.vocabulary(), "rollback", options),
    dryRun: dryRun === "server",
  });
  return { verb: "rolled back", object };
}

async function showDifference(session: Session, target: Target, options: Rollback): Promise<void> {
  const live = await liveObject(session, target);
  const { object: merged } = await rolledBack(session, target, { ...options, dryRun: "server" });
  const differences = new Differences(session, options.showManagedFields);
  try {
    await differences.add({ ...target, name: nameOf(merged), live, merged });
    session.exitCode = await differences.end();
  } finally {
    differences.close();
  }
}
