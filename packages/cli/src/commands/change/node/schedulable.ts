// Marks nodes as schedulable or not: `orch cordon` and `orch uncordon`.
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { addDryRun, type DryRun, type DryRunOption, type SelectorOptions } from "../options";
import { type Written, writeChosen } from "../selected-write";
import { clientOf, liveObject, type Target } from "../targets";

interface Options extends SelectorOptions, DryRunOption {
  readonly dryRun: DryRun;
}

/** Completes the command. @param unschedulable true: `cordon` */
export function defineSchedulable(command: Command, session: Session, unschedulable: boolean): void {
  command.argument("[nodes...]", "names of nodes").option("-l, --selector <selector>", "only nodes whose labels match");
  addDryRun(command);
  command.action(async (nodes: string[], options: Options) => {
    const words = nodeWords(nodes, options);
    await writeChosen(session, { words, options, label: "marking" }, (target) =>
      markNode(session, target, { unschedulable, dryRun: options.dryRun }),
    );
  });
}

/** Returns the arguments for nodes. @throws CliError without a name and a selector, or with both */
export function nodeWords(nodes: readonly string[], { selector }: SelectorOptions): readonly string[] {
  if (nodes.length === 0 && selector === undefined) throw new CliError("name a node, or select nodes with -l");
  if (nodes.length > 0 && selector !== undefined)
    throw new CliError("error: cannot specify both a node name and a --selector option");
  return ["nodes", ...nodes.map((node) => node.replace(/^nodes?\//, ""))];
}

export async function markNode(
  session: Session,
  target: Target,
  { unschedulable, dryRun }: { readonly unschedulable: boolean; readonly dryRun: DryRun },
): Promise<Written> {
  const live = await liveObject(session, target);
  const { unschedulable: present = false } = (live["spec"] ?? {}) as { readonly unschedulable?: boolean };
  const verb = unschedulable ? "cordoned" : "uncordoned";
  if (present === unschedulable) return { verb: `already ${verb}`, object: live };
  if (dryRun === "client") return { verb, object: live };
  const client = await clientOf(session, target);
  const patch = { spec: { unschedulable: unschedulable ? true : null } };
  return {
    verb,
    object: await client.patch(target.name, "strategic", patch, {
      dryRun: dryRun === "server",
      signal: session.signal,
    }),
  };
}
