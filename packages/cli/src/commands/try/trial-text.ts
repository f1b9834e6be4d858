// A trial as people read it: a table of the steps, the changes of each, and the outcome.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import { createTwoFilesPatch } from "diff";
import { columnText, visible } from "../../output/columns";
import { formatted } from "../../output/format";
import type { Trial, TrialStep } from "./trial";

const VALUE_MAX = 100;
/** Maximum number of changes that are shown of a step. */
const CHANGES_MAX = 20;

export function trialText(trial: Trial): string {
  const { target, operation, allowed, code, status, steps, unexplained } = trial;
  const outcome = allowed ? "allowed" : `refused (${code})`;
  const lines = [`${target}: ${operation} is ${outcome}`];
  const message = status?.["message"];
  if (typeof message === "string") lines.push(`  ${message}`);
  if (unexplained !== undefined) lines.push(`  ${unexplained}`);
  if (steps !== undefined) lines.push("", ...stepLines(steps));
  else if (trial.object !== undefined) lines.push(...differenceLines(trial.before ?? {}, trial.object));
  return lines.map((line) => `${visible(line)}\n`).join("");
}

/** Returns a row per step. The changes of a step are below its row. */
function stepLines(steps: readonly TrialStep[]): readonly string[] {
  const head = ["PHASE", "PLUGIN", "DECISION", "CHANGES", "TIME"];
  const rows = steps.map((step) => [
    step.round > 0 ? `${step.phase} again` : step.phase,
    step.part === undefined ? step.plugin : `${step.plugin}: ${step.part}`,
    step.code === undefined || step.decision === "allowed" ? step.decision : `${step.decision} (${step.code})`,
    step.patch === undefined ? "" : String(step.patch.length),
    step.durationMilliseconds === undefined ? "" : `${step.durationMilliseconds.toFixed(1)} ms`,
  ]);
  const [first = "", ...others] = columnText([head, ...rows.map((row) => row.map(visible))])
    .trimEnd()
    .split("\n");
  return [first, ...others.flatMap((line, at) => [line, ...detailLines(steps[at] as TrialStep)])];
}

function detailLines({ message, patch = [] }: TrialStep): readonly string[] {
  const changes = patch.slice(0, CHANGES_MAX).map(changeText);
  const more = patch.length - changes.length;
  return [
    ...(message === undefined ? [] : [`    ${message}`]),
    ...changes.map((text) => `    ${text}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}

function changeText(change: JsonValue): string {
  if (!isObject(change)) return "";
  const { op, path, value, from } = change;
  const text = value === undefined ? "" : ` ${JSON.stringify(value)}`;
  const cut = text.length > VALUE_MAX ? `${text.slice(0, VALUE_MAX)}…` : text;
  return `${String(op)} ${String(path)}${typeof from === "string" ? ` from ${from}` : ""}${cut}`;
}

/** Returns the lines that differ, without what every write changes. */
function differenceLines(before: JsonObject, after: JsonObject): readonly string[] {
  const [one, other] = [before, after].map((object) => formatted(withoutServerFields(object), "yaml")) as [
    string,
    string,
  ];
  if (one === other) return ["  nothing changes"];
  const patch = createTwoFilesPatch("before", "after", one, other, undefined, undefined, { context: 2 });
  return patch.split("\n").filter((line) => line !== "" && !line.startsWith("==="));
}

const OF_SERVER = ["uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"];

function withoutServerFields({ metadata, ...object }: JsonObject): JsonObject {
  const kept = Object.entries((metadata ?? {}) as JsonObject).filter(([field]) => !OF_SERVER.includes(field));
  return { ...object, metadata: Object.fromEntries(kept) };
}
