// `orch rollout status`: follows a rollout until it is done.
import { parseGoDuration } from "@orch/machinery";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { throwAll } from "../in-order";
import { observe } from "../observe";
import { addFiles, addSwitch, type FileOptions } from "../options";
import { WEEK_MS } from "../removal";
import { absentError, chosenTargets, type Target } from "../targets";
import { rolloutStatus } from "./status-text";

interface Options extends FileOptions {
  readonly watch: boolean;
  readonly timeout: string;
  readonly revision: string;
  readonly selector?: string;
}

export function addStatus(command: Command, session: Session): void {
  command.description("follow a rollout until it is done");
  addFiles(command, "follow");
  command.option("-l, --selector <selector>", "only objects whose labels match");
  addSwitch(command, "-w, --watch", "follow until the rollout is done", true);
  command
    .option("--timeout <duration>", "longest time; 0: no limit", "0s")
    .option("--revision <number>", "fail when another revision is rolled out; 0: follow any", "0");
  command.action(async (words: string[], options: Options) => {
    const { targets, errors } = await chosenTargets(session, words, options);
    if (targets.length === 0) {
      throwAll(errors);
      session.tell(`No resources found in ${session.namespace} namespace.`);
      return;
    }
    for (const target of targets) await follow(session, target, options);
    throwAll(errors);
  });
}

async function follow(session: Session, target: Target, { watch, timeout, revision }: Options): Promise<void> {
  const names = await session.vocabulary();
  const timeoutMs = parseGoDuration(timeout);
  if (timeoutMs === undefined)
    throw new CliError(`--timeout: ${JSON.stringify(timeout)} is not a duration, such as 30s`);
  let failure: unknown;
  let told = "";
  let wasSeen = false;
  await observe(session, [target], {
    timeoutMs: timeoutMs === 0 ? WEEK_MS : timeoutMs,
    late: () => new CliError("timed out waiting for the condition"),
    decide: (_, object) => {
      try {
        if (object === undefined) {
          throw wasSeen ? new CliError("object has been deleted") : absentError(target);
        }
        wasSeen = true;
        const { annotations } = object["metadata"] as { readonly annotations?: Readonly<Record<string, string>> };
        const running = annotations?.[names.annotations.deploymentRevision] ?? "0";
        if (revision !== "0" && revision !== running) {
          throw new CliError(`desired revision (${revision}) is different from the running revision (${running})`);
        }
        const { text, isDone } = rolloutStatus(target.type.kind, object);
        if (text !== told) session.write(`${text}\n`);
        told = text;
        return isDone || !watch;
      } catch (error) {
        failure = error;
        return true;
      }
    },
  });
  throwAll(failure === undefined ? [] : [failure]);
}
