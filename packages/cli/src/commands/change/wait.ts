// `orch wait`: waits until objects fulfil conditions, all at the same time.
import { isCode, parseGoDuration } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import { collected } from "../../process/global-options";
import type { Session } from "../../session/session";
import { throwAll } from "./in-order";
import { observe } from "./observe";
import { addFiles, addSelectors, type FileOptions, type SelectorOptions } from "./options";
import { addOutput, type OutcomeOptions, Outcomes } from "./outcome";
import { WEEK_MS } from "./removal";
import { absentError, chosenTargets, type Target, uidOf } from "./targets";
import { type WaitCondition, waitCondition } from "./wait-conditions";

interface Options extends FileOptions, SelectorOptions, OutcomeOptions {
  readonly for?: readonly string[];
  readonly timeout: string;
}

const EXAMPLES = `
Examples:
  orch wait --for=condition=Ready pods --all --timeout=2m
  orch wait --for=jsonpath='{.status.phase}'=Running pod/web
  orch wait --for=delete pod/web
  orch wait --for=create deployment/shop`;

export function define(command: Command, session: Session): void {
  command.argument("[resources...]", "resources and names, such as pod/web");
  addFiles(command, "wait for");
  addSelectors(command);
  command
    .option(
      "--for <condition>",
      "condition=NAME[=VALUE], jsonpath={PATH}[=VALUE], delete or create; may be repeated",
      collected,
    )
    .option("--timeout <duration>", "longest wait; 0: look once, negative: a week", "30s");
  addOutput(command);
  command.addHelpText("after", EXAMPLES);
  command.action(async (words: string[], options: Options) => {
    const conditions = (options.for ?? []).map(waitCondition);
    if (conditions.length === 0) throw new CliError('required flag(s) "for" not set');
    const timeoutMs = timeoutOf(options.timeout);
    for (const condition of conditions) await waitFor(session, { words, options, condition, timeoutMs });
  });
}

function timeoutOf(text: string): number {
  const ms = parseGoDuration(text);
  if (ms === undefined) throw new CliError(`--timeout: ${JSON.stringify(text)} is not a duration, such as 30s`);
  return ms < 0 ? WEEK_MS : ms;
}

interface Wait {
  readonly words: readonly string[];
  readonly options: Options;
  readonly condition: WaitCondition;
  readonly timeoutMs: number;
}

async function waitFor(session: Session, { words, options, condition, timeoutMs }: Wait): Promise<void> {
  const { targets, errors: unread } = await chosenTargets(session, words, { ...options, part: "metadata" });
  if (targets.length === 0) {
    throwAll(unread);
    if (condition.kind === "delete") return;
    throw new CliError("no matching resources found");
  }
  const outcomes = new Outcomes(session, options);
  const errors: unknown[] = [...unread];
  const seen = new Set<Target>();
  const decide = (target: Target, object: JsonObject | undefined): boolean => {
    const verdict = verdictOf({ target, object, condition, wasSeen: seen.has(target) });
    if (object !== undefined) seen.add(target);
    if (verdict === "waiting") return false;
    if (verdict === "met") outcomes.tell(target, "condition met", object ?? target.object);
    else if (verdict !== "absent") errors.push(verdict);
    return true;
  };
  try {
    await observe(session, targets, { decide, timeoutMs, late: (left) => lateError(left, timeoutMs) });
  } catch (error) {
    if (condition.kind !== "delete" || !isCode(error, 403)) errors.push(error);
  }
  session.signal.throwIfAborted();
  throwAll(errors.flatMap((error) => (error instanceof AggregateError ? error.errors : [error])));
}

type Verdict = "met" | "waiting" | "absent" | Error;

function verdictOf(of: {
  readonly target: Target;
  readonly object: JsonObject | undefined;
  readonly condition: WaitCondition;
  readonly wasSeen: boolean;
}): Verdict {
  const { target, object, condition, wasSeen } = of;
  if (condition.kind === "delete") {
    const before = target.object === undefined ? "" : uidOf(target.object);
    if (object !== undefined && (before === "" || uidOf(object) === before)) return "waiting";
    return object !== undefined || wasSeen || before !== "" ? "met" : "absent";
  }
  if (condition.kind === "create") return object === undefined ? "waiting" : "met";
  if (object === undefined) return wasSeen ? "waiting" : absentError(target);
  try {
    return condition.isMet(object) ? "met" : "waiting";
  } catch (error) {
    return error as Error;
  }
}

function lateError(left: readonly Target[], timeoutMs: number): Error {
  const text = timeoutMs === 0 ? "condition not met for" : "timed out waiting for the condition on";
  return new AggregateError(left.map(({ type, name }) => new CliError(`${text} ${type.resource}/${name}`)));
}
