// `orch taint`: sets and removes taints of nodes. Source: "Taints and Tolerations" in the Kubernetes documentation.
import { applyMergePatch } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import { addDryRun, addSwitch, type DryRun, type DryRunOption, type SelectorOptions } from "./options";
import { addOutput, type OutcomeOptions } from "./outcome";
import { type Written, writeChosen } from "./selected-write";
import { clientOf, liveObject, type Target } from "./targets";

interface Options extends SelectorOptions, DryRunOption, ManagerOption, OutcomeOptions {
  readonly dryRun: DryRun;
  readonly overwrite: boolean;
}

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface TaintChanges {
  readonly set: readonly Taint[];
  /** No effect: the taints of the key with any effect. */
  readonly remove: readonly { readonly key: string; readonly effect?: string }[];
}

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function define(command: Command, session: Session): void {
  command
    .argument("<words...>", "node or nodes with names, then KEY=VALUE:EFFECT to set, and KEY:EFFECT- or KEY- to remove")
    .option("-l, --selector <selector>", "only nodes whose labels match");
  addSwitch(command, "--all", "all nodes");
  addSwitch(command, "--overwrite", "allow a change of a taint that has a value");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
  command.action(async (words: string[], options: Options) => {
    const first = words.findIndex((word, at) => at > 0 && /[:=]|-$/.test(word) && /:|-$/.test(word));
    if (first === -1) throw new CliError("at least one taint update is required");
    const changes = taintChanges(words.slice(first));
    await writeChosen(session, { words: words.slice(0, first), options, label: "tainting" }, (target) =>
      tainted(session, target, { changes, options }),
    );
  });
}

/** Reads `k=v:NoSchedule`, `k:NoSchedule`, `k:NoSchedule-` and `k-`. @throws CliError */
export function taintChanges(words: readonly string[]): TaintChanges {
  const set: Taint[] = [];
  const remove: { key: string; effect?: string }[] = [];
  for (const word of words) {
    const isRemoval = word.endsWith("-");
    const [pair = "", effect, ...rest] = (isRemoval ? word.slice(0, -1) : word).split(":");
    const [key = "", value, ...more] = pair.split("=");
    const isWrong = key === "" || rest.length + more.length > 0 || (!isRemoval && effect === undefined);
    if (isWrong || (effect !== undefined && !EFFECTS.includes(effect))) {
      throw new CliError(
        `invalid taint spec: ${word}: use KEY=VALUE:EFFECT or KEY:EFFECT-, with an effect of ${EFFECTS.join(", ")}`,
      );
    }
    if (isRemoval) remove.push({ key, ...(effect === undefined ? {} : { effect }) });
    else set.push({ key, ...(value === undefined || value === "" ? {} : { value }), effect: effect ?? "" });
  }
  return { set, remove };
}

async function tainted(
  session: Session,
  target: Target,
  { changes, options }: { readonly changes: TaintChanges; readonly options: Options },
): Promise<Written> {
  const live = await liveObject(session, target);
  const { taints: present = [] } = (live["spec"] ?? {}) as { readonly taints?: readonly Taint[] };
  const isSame = (one: Taint, other: { readonly key: string; readonly effect?: string }) =>
    one.key === other.key && (other.effect === undefined || one.effect === other.effect);
  const absent = changes.remove.find((each) => !present.some((taint) => isSame(taint, each)));
  if (absent !== undefined)
    throw new CliError(
      `taint ${JSON.stringify(absent.effect === undefined ? absent.key : `${absent.key}:${absent.effect}`)} not found`,
    );
  const taken = changes.set.find((each) => present.some((taint) => isSame(taint, each)));
  if (taken !== undefined && !options.overwrite) {
    throw new CliError(
      `node ${target.name} already has ${taken.key} taint(s) with same effect(s) and --overwrite is false`,
    );
  }
  const kept = present.filter((taint) => ![...changes.set, ...changes.remove].some((each) => isSame(taint, each)));
  const isModified = taken !== undefined || (changes.set.length > 0 && changes.remove.length > 0);
  const verb = isModified ? "modified" : changes.set.length === 0 ? "untainted" : "tainted";
  const patch = { spec: { taints: [...changes.set, ...kept] as unknown as JsonObject[] } };
  if (options.dryRun === "client") return { verb, object: applyMergePatch(live, patch) as JsonObject };
  const client = await clientOf(session, target);
  const object = await client.patch(target.name, "merge", patch, {
    dryRun: options.dryRun === "server",
    fieldManager: managerOf(await session.vocabulary(), "taint", options),
    signal: session.signal,
  });
  return { verb, object };
}
