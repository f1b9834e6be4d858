// `orch rollout restart`, `pause` and `resume`.
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { addFieldManager, type ManagerOption, managerOf } from "../managers";
import { addFiles, type FileOptions } from "../options";
import { addOutput, type OutcomeOptions } from "../outcome";
import { type Written, writeChosen } from "../selected-write";
import { clientOf, liveObject, type Target } from "../targets";

interface Options extends FileOptions, OutcomeOptions, ManagerOption {
  readonly selector?: string;
}

interface Switch {
  readonly description: string;
  readonly verb: string;
  /** Returns the patch. @throws CliError */
  readonly patch: (
    target: Target,
    live: JsonObject,
    of: { readonly names: Vocabulary; readonly now: number },
  ) => JsonObject;
}

export const addRestart = (command: Command, session: Session): void =>
  add(command, session, {
    description: "replace the pods of a workload",
    verb: "restarted",
    patch: (target, live, { names, now }) => {
      requireKind(target, ["Deployment", "DaemonSet", "StatefulSet"], "restarting");
      if (isPaused(live))
        throw new CliError(`${nameText(target)} can't restart paused deployment (run rollout resume first)`);
      const time = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
      const annotations = { [names.annotations.orchctlRestartedAt]: time };
      return { spec: { template: { metadata: { annotations } } } };
    },
  });

export const addPause = (command: Command, session: Session): void =>
  add(command, session, {
    description: "stop the rollouts of a deployment",
    verb: "paused",
    patch: (target, live) => {
      requireKind(target, ["Deployment"], "pausing");
      if (isPaused(live)) throw new CliError(`${nameText(target)} is already paused`);
      return { spec: { paused: true } };
    },
  });

export const addResume = (command: Command, session: Session): void =>
  add(command, session, {
    description: "continue the rollouts of a deployment",
    verb: "resumed",
    patch: (target, live) => {
      requireKind(target, ["Deployment"], "resuming");
      if (!isPaused(live)) throw new CliError(`${nameText(target)} is not paused`);
      return { spec: { paused: null } };
    },
  });

function add(command: Command, session: Session, of: Switch): void {
  command.description(of.description).option("-l, --selector <selector>", "only objects whose labels match");
  addFiles(command, "change");
  addFieldManager(command);
  addOutput(command);
  command.action(async (words: string[], options: Options) => {
    await writeChosen(session, { words, options, label: "patching" }, (target) =>
      switched(session, target, { ...of, options }),
    );
  });
}

async function switched(
  session: Session,
  target: Target,
  { patch, verb, options }: Switch & { readonly options: Options },
): Promise<Written> {
  const names = await session.vocabulary();
  const body = patch(target, await liveObject(session, target), { names, now: session.io.now() });
  const client = await clientOf(session, target);
  const fieldManager = managerOf(names, "rollout", options);
  return { verb, object: await client.patch(target.name, "merge", body, { fieldManager, signal: session.signal }) };
}

function requireKind(target: Target, kinds: readonly string[], doing: string): void {
  if (!kinds.includes(target.type.kind)) throw new CliError(`${nameText(target)} ${doing} is not supported`);
}

const isPaused = (live: JsonObject): boolean => ((live["spec"] ?? {}) as { readonly paused?: boolean }).paused === true;

function nameText({ type, name }: Target): string {
  return `${type.group === "" ? type.resource : `${type.resource}.${type.group}`} ${JSON.stringify(name)}`;
}
