// `orch delete`: deletes objects, and waits until they are gone.
import type { DeleteOptions } from "@orch/client";
import { isCode, parseGoDuration } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { outputOption } from "../../output/format";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { Progress } from "../../terminal/progress";
import { canAsk, confirmed } from "../../terminal/prompt";
import { fromSource } from "./from-source";
import { inOrder, throwAll } from "./in-order";
import {
  addChoice,
  addDryRun,
  addFiles,
  addSelectors,
  addSwitch,
  type DryRunOption,
  type FileOptions,
  type SelectorOptions,
} from "./options";
import { deletedText, removed, WEEK_MS } from "./removal";
import { chosenTargets, clientOf, type Target, takesOthers, targetText } from "./targets";

interface Options extends FileOptions, SelectorOptions, DryRunOption {
  readonly cascade: string;
  readonly force: boolean;
  readonly now: boolean;
  readonly gracePeriod: string;
  readonly wait: boolean;
  readonly timeout: string;
  readonly yes: boolean;
  readonly interactive: boolean;
  readonly raw?: string;
  readonly ignoreNotFound?: boolean;
  readonly output?: string;
}

const EXAMPLES = `
Examples:
  orch delete pod web                    delete a pod, and wait until it is gone
  orch delete -f app.yaml                delete the objects of a file
  orch delete pods,services -l app=web   delete what a selector chooses
  orch delete pods --all --yes           without asking`;

/** Number of objects that a question lists. */
const LISTED_MAX = 20;

export function define(command: Command, session: Session): void {
  command.argument("[resources...]", "resources and names, such as pod web, or pod/web svc/web");
  addFiles(command, "delete");
  addSelectors(command);
  addChoice(command, "--cascade", {
    description: "what happens to dependents",
    values: ["background", "foreground", "orphan"],
    also: ["true", "false"],
    initial: "background",
  });
  command.option("--grace-period <seconds>", "time to stop; -1: that of the kind", "-1");
  addSwitch(command, "--now", "short for --grace-period=1");
  addSwitch(command, "--force", "delete at once, without waiting for the kubelet to confirm");
  addSwitch(command, "--wait", "wait until the objects are gone", true);
  command.option("--timeout <duration>", "longest wait; 0: a week", "0s");
  addSwitch(command, "--ignore-not-found", "objects that do not exist are no error");
  addSwitch(command, "-y, --yes", "do not ask before more than one object is deleted");
  addSwitch(command, "-i, --interactive", "ask before each call, also for one object");
  command.option("--raw <path>", "send the request as it is to this path of the server");
  addDryRun(command);
  command.addOption(outputOption(["name"]));
  command.addHelpText("after", EXAMPLES);
  command.action(async (words: string[], options: Options) => {
    if (options.raw !== undefined) {
      if (words.length > 0) throw new CliError("--raw and resources are mutually exclusive");
      const { sendRaw } = await import("./raw-request.js");
      await sendRaw(session, "DELETE", { ...options, path: options.raw });
    } else await deleteAll(session, words, options);
  });
}

async function deleteAll(session: Session, words: readonly string[], options: Options): Promise<void> {
  const request = requestOf(session, options);
  const { targets, errors: unread } = await chosenTargets(session, words, { ...options, part: "metadata" });
  if (targets.length === 0) {
    throwAll(unread);
    session.write("No resources found\n");
    return;
  }
  if (options.all === true && options.force) {
    session.warn("deleting objects without a grace period may leave containers running");
  }
  if (session.options.namespace !== undefined && targets.some(({ namespace }) => namespace === undefined)) {
    session.warn("deleting cluster-scoped resources, not scoped to the provided namespace");
  }
  if (!(await isAgreed(session, targets, options))) {
    session.tell("deletion is cancelled");
    return;
  }
  const isTolerant = options.ignoreNotFound === true || options.all === true || options.selector !== undefined;
  const progress = new Progress(session.io, { label: "deleting", total: targets.length });
  const pending: Target[] = [];
  try {
    const errors: unknown[] = [...unread];
    for (const stage of stagesOf(targets)) {
      const failed = await inOrder(stage, {
        signal: session.signal,
        work: (target) =>
          deleted(session, target, { ...request, isTolerant, isDryOnClient: options.dryRun === "client" }),
        finished: () => progress.advance(),
        done: (target, result) => {
          if (result === "absent") return;
          progress.write(textFor(target, options, request));
          if (result !== undefined) pending.push({ ...target, object: result });
        },
      });
      errors.push(...failed);
    }
    progress.end();
    if (options.wait && options.dryRun === "none" && pending.length > 0) await waitFor(session, pending, options);
    throwAll(errors);
  } finally {
    progress.end();
  }
}

/**
 * Returns the targets in their order, in parts that are deleted one after the other. An object must not go with its
 * namespace or its definition before it is deleted itself.
 */
function stagesOf(targets: readonly Target[]): readonly (readonly Target[])[] {
  const stages: Target[][] = [];
  let before: boolean | undefined;
  for (const target of targets) {
    const takes = takesOthers(target);
    if (takes === before) stages.at(-1)?.push(target);
    else stages.push([target]);
    before = takes;
  }
  return stages;
}

function requestOf(session: Session, options: Options): DeleteOptions {
  let seconds = Number(options.gracePeriod);
  if (!Number.isInteger(seconds)) {
    throw new CliError(`--grace-period: ${JSON.stringify(options.gracePeriod)} is not a number of seconds`);
  }
  if (options.now) {
    if (seconds !== -1) throw new CliError("--now and --grace-period cannot be specified together");
    seconds = 1;
  }
  if (options.force && seconds > 0)
    throw new CliError("--force and --grace-period greater than 0 cannot be specified together");
  if (options.force) {
    session.warn(
      "Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.",
    );
    seconds = 0;
  } else if (seconds === 0) seconds = 1;
  const policies: Readonly<Record<string, DeleteOptions["propagationPolicy"]>> = {
    foreground: "Foreground",
    orphan: "Orphan",
    false: "Orphan",
  };
  return {
    propagationPolicy: policies[options.cascade] ?? "Background",
    ...(seconds < 0 ? {} : { gracePeriodSeconds: seconds }),
    dryRun: options.dryRun === "server",
  };
}

/** Asks a person before more than one object is deleted; with `--interactive`, whoever is at standard input. */
async function isAgreed(session: Session, targets: readonly Target[], options: Options): Promise<boolean> {
  const { interactive } = options;
  if (!interactive && (options.yes || options.dryRun !== "none" || !canAsk(session.io) || targets.length < 2)) {
    return true;
  }
  // A script that asks for the question reads it from standard output, as from kubectl.
  const tell = (line: string) => (interactive ? session.write(`${line}\n`) : session.tell(line));
  tell(`You are about to delete the following ${targets.length} object(s):`);
  for (const target of targets.slice(0, LISTED_MAX)) {
    tell(target.namespace === undefined ? targetText(target) : `${targetText(target)} in ${target.namespace}`);
  }
  if (targets.length > LISTED_MAX) tell(`… and ${targets.length - LISTED_MAX} more`);
  return confirmed(session.io, "Do you want to continue?", session.signal);
}

type Deleted = JsonObject | "absent" | undefined;

async function deleted(
  session: Session,
  target: Target,
  {
    isTolerant,
    isDryOnClient,
    ...request
  }: DeleteOptions & { readonly isTolerant: boolean; readonly isDryOnClient: boolean },
): Promise<Deleted> {
  const client = await clientOf(session, target);
  try {
    if (isDryOnClient) {
      await client.get(target.name, { part: "metadata", signal: session.signal });
      return undefined;
    }
    const result = await client.delete(target.name, { ...request, signal: session.signal });
    return result.kind === "object" ? result.object : undefined;
  } catch (error) {
    if (isTolerant && isCode(error, 404)) return "absent";
    throw fromSource(error, "deleting", target.source);
  }
}

function textFor(target: Target, { output, dryRun }: Options, { gracePeriodSeconds }: DeleteOptions): string {
  if (output === "name") return `${targetText(target)}\n`;
  const suffix = dryRun === "none" ? "" : dryRun === "client" ? " (dry run)" : " (server dry run)";
  return deletedText(target, gracePeriodSeconds === 0, suffix);
}

async function waitFor(session: Session, pending: readonly Target[], { timeout }: Options): Promise<void> {
  const ms = parseGoDuration(timeout);
  if (ms === undefined) throw new CliError(`--timeout: ${JSON.stringify(timeout)} is not a duration, such as 30s`);
  const progress = new Progress(session.io, { label: "waiting for deletion", total: pending.length });
  try {
    await removed(session, pending, { timeoutMs: ms === 0 ? WEEK_MS : ms, gone: () => progress.advance() });
  } catch (error) {
    // Without the right to watch, there is nothing to wait for.
    if (!isCode(error, 403, 405)) throw error;
  } finally {
    progress.end();
  }
}
