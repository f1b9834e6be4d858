// `orch rollout history` and `orch rollout undo`.
import { metaOf } from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { Command } from "commander";
import { visible } from "../../../output/columns";
import { formatted } from "../../../output/format";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { throwAll } from "../in-order";
import { managerOf } from "../managers";
import { addDryRun, addFiles, type DryRunOption, type FileOptions } from "../options";
import { addOutput, type OutcomeOptions } from "../outcome";
import { type Written, writeChosen } from "../selected-write";
import { chosenTargets, clientOf, liveObject, type Target, targetText } from "../targets";
import { chosenRevision, hasTemplate, type Revision, revisionsOf, templateOf } from "./revisions";

interface HistoryOptions extends FileOptions {
  readonly revision: string;
  readonly selector?: string;
}

export function addHistory(command: Command, session: Session): void {
  command.description("list the revisions of a workload");
  addFiles(command, "list revisions of");
  command
    .option("-l, --selector <selector>", "only objects whose labels match")
    .option("--revision <number>", "show the template of this revision", "0");
  command.action(async (words: string[], options: HistoryOptions) => {
    const { targets, errors } = await chosenTargets(session, words, options);
    for (const target of targets) await show(session, target, numberIn(options.revision));
    throwAll(errors);
  });
}

function numberIn(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new CliError(`revision must be a positive integer: ${text}`);
}

async function show(session: Session, target: Target, revision: number): Promise<void> {
  const revisions = await revisionsOf(session, target, await liveObject(session, target));
  if (revisions.length === 0) {
    session.write(`${targetText(target)} \nNo rollout history found.\n`);
    return;
  }
  if (revision === 0) {
    const width = Math.max("REVISION".length, ...revisions.map(({ number }) => String(number).length)) + 2;
    const lines = revisions.map(
      ({ number, changeCause }) => `${String(number).padEnd(width)}${visible(changeCause || "<none>")}
`,
    );
    session.write(`${targetText(target)} 
${"REVISION".padEnd(width)}CHANGE-CAUSE
${lines.join("")}
`);
    return;
  }
  const found = revisions.find(({ number }) => number === revision);
  if (found === undefined) throw new CliError("unable to find the specified revision");
  const template = formatted(templateOf(found), "yaml").replaceAll(/^(?=.)/gm, "  ");
  session.write(`${targetText(target)} with revision #${revision}\nPod Template:\n${template}\n`);
}

interface UndoOptions extends FileOptions, DryRunOption, OutcomeOptions {
  readonly toRevision: string;
  readonly selector?: string;
  readonly dryRun: DryRunOption["dryRun"];
}

export function addUndo(command: Command, session: Session): void {
  command.description("go back to an earlier revision");
  addFiles(command, "take back");
  command
    .option("-l, --selector <selector>", "only objects whose labels match")
    .option("--to-revision <number>", "the revision; 0: the one before the last", "0");
  addDryRun(command);
  addOutput(command);
  command.action(async (words: string[], options: UndoOptions) => {
    await writeChosen(session, { words, options, label: "taking back" }, (target) => undone(session, target, options));
  });
}

async function undone(session: Session, target: Target, options: UndoOptions): Promise<Written> {
  const names = await session.vocabulary();
  const live = await liveObject(session, target);
  const { paused } = (live["spec"] ?? {}) as { readonly paused?: boolean };
  if (paused === true) {
    throw new CliError(
      "you cannot rollback a paused deployment; resume it first with 'orch rollout resume' and try again",
    );
  }
  const revision = chosenRevision(await revisionsOf(session, target, live), numberIn(options.toRevision), target);
  const template = templateOf(revision);
  if (hasTemplate(live, template)) {
    return { verb: `skipped rollback (current template already matches revision ${revision.number})`, object: live };
  }
  if (options.dryRun === "client") return { verb: "rolled back", object: live };
  const client = await clientOf(session, target);
  const write = {
    dryRun: options.dryRun === "server",
    fieldManager: managerOf(names, "rollout"),
    signal: session.signal,
  };
  const object: JsonObject = await client.patch(
    target.name,
    "json",
    [
      { op: "replace", path: "/spec/template", value: template },
      ...(target.type.kind === "Deployment"
        ? [{ op: "add", path: "/metadata/annotations", value: annotationsOf(live, revision, names) }]
        : []),
    ],
    write,
  );
  return { verb: "rolled back", object };
}

/** Returns the annotations of a revision, with those of the deployment that belong to no revision. */
function annotationsOf(live: JsonObject, { object }: Revision, names: Vocabulary): JsonObject {
  const { annotations } = names;
  const own = new Set<string>([
    annotations.orchctlLastAppliedConfiguration,
    annotations.deploymentRevision,
    annotations.deploymentRevisionHistory,
    annotations.deploymentDesiredReplicas,
    annotations.deploymentMaxReplicas,
  ]);
  const kept = Object.entries(metaOf(live).annotations ?? {}).filter(([key]) => own.has(key));
  const restored = Object.entries(metaOf(object).annotations ?? {}).filter(([key]) => !own.has(key));
  return Object.fromEntries([...kept, ...restored]);
}
