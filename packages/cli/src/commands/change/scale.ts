// `orch scale`: sets the number of replicas through the subresource `scale`.
import { setTimeout as pause } from "node:timers/promises";
import type { ResourceClient } from "@orch/client";
import { isCode, metaOf, parseGoDuration } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { observe } from "./observe";
import {
  addDryRun,
  addFiles,
  addSelectors,
  type DryRunOption,
  type FileOptions,
  type SelectorOptions,
} from "./options";
import { addOutput, type OutcomeOptions } from "./outcome";
import { type Written, writeChosen } from "./selected-write";
import { clientOf, type Target, targetText } from "./targets";

interface Options extends FileOptions, SelectorOptions, DryRunOption, OutcomeOptions {
  readonly replicas?: string;
  readonly currentReplicas: string;
  readonly resourceVersion: string;
  readonly timeout: string;
  readonly dryRun: DryRunOption["dryRun"];
}

interface Wanted {
  readonly replicas: number;
  /** Undefined: any number. */
  readonly current: number | undefined;
  readonly timeoutMs: number;
}

const TRIES = 5;
const PAUSE_MS = 50;

export function define(command: Command, session: Session): void {
  command.argument("[resources...]", "resources and names, such as deployment shop");
  addFiles(command, "scale");
  addSelectors(command);
  command
    .option("--replicas <number>", "new number of replicas")
    .option("--current-replicas <number>", "scale only if this is the present number", "-1")
    .option("--resource-version <version>", "scale only if the object still has this version", "")
    .option("--timeout <duration>", "wait until the number is reached; 0s: do not wait", "0s");
  addDryRun(command);
  addOutput(command);
  command.addHelpText(
    "after",
    "\nExamples:\n  orch scale deployment shop --replicas=3\n  orch scale --current-replicas=2 --replicas=3 deployment/shop",
  );
  command.action(async (words: string[], options: Options) => {
    const wanted = wantedOf(options);
    await writeChosen(session, { words, options, label: "scaling" }, (target) =>
      scaled(session, { target, wanted, options }),
    );
  });
}

function wantedOf({ replicas, currentReplicas, timeout }: Options): Wanted {
  const count = Number(replicas);
  if (replicas === undefined) throw new CliError('required flag(s) "replicas" not set');
  if (!Number.isInteger(count) || count < 0) {
    throw new CliError("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0");
  }
  const current = Number(currentReplicas);
  if (!Number.isInteger(current) || current < -1) {
    throw new CliError(
      `The --current-replicas must specify an integer of -1 or greater, not ${JSON.stringify(currentReplicas)}`,
    );
  }
  const timeoutMs = parseGoDuration(timeout);
  if (timeoutMs === undefined)
    throw new CliError(`--timeout: ${JSON.stringify(timeout)} is not a duration, such as 30s`);
  return { replicas: count, current: current === -1 ? undefined : current, timeoutMs };
}

interface Scaling {
  readonly target: Target;
  readonly wanted: Wanted;
  readonly options: Options;
}

async function scaled(session: Session, { target, wanted, options }: Scaling): Promise<Written> {
  const client = await clientOf(session, target);
  const { signal } = session;
  const isPrinted = options.output !== undefined && options.output !== "name";
  const before = isPrinted ? await client.get(target.name, { signal }) : {};
  const object = isPrinted
    ? { ...before, spec: { ...(before["spec"] as JsonObject | undefined), replicas: wanted.replicas } }
    : {};
  if (options.dryRun === "client") return { verb: "scaled", object };
  await write(client, { target, wanted, options }, signal);
  if (wanted.timeoutMs > 0 && options.dryRun === "none") await reached(session, target, wanted);
  return { verb: "scaled", object };
}

async function write(client: ResourceClient, { target, wanted, options }: Scaling, signal: AbortSignal): Promise<void> {
  const dryRun = options.dryRun === "server";
  const { name } = target;
  if (wanted.current === undefined && options.resourceVersion === "") {
    await client.patch(
      name,
      "merge",
      { spec: { replicas: wanted.replicas } },
      { subresource: "scale", dryRun, signal },
    );
    return;
  }
  for (let tries = 1; ; tries += 1) {
    const scale = await client.getSubresource(name, "scale", { signal });
    const { replicas = 0 } = (scale["spec"] ?? {}) as { readonly replicas?: number };
    if (wanted.current !== undefined && replicas !== wanted.current) {
      throw new CliError(`Expected replicas to be ${wanted.current}, was ${replicas}`);
    }
    const version = metaOf(scale).resourceVersion ?? "";
    if (options.resourceVersion !== "" && version !== options.resourceVersion) {
      throw new CliError(`Expected resource version to be ${options.resourceVersion}, was ${version}`);
    }
    try {
      await client.updateSubresource(name, "scale", { ...scale, spec: { replicas: wanted.replicas } } as JsonObject, {
        dryRun,
        signal,
      });
      return;
    } catch (error) {
      if (!isCode(error, 409) || tries === TRIES) throw error;
      await pause(PAUSE_MS, undefined, { signal });
    }
  }
}

/** Waits until the controller has seen the number, and the object has it. */
async function reached(session: Session, target: Target, { replicas, timeoutMs }: Wanted): Promise<void> {
  await observe(session, [target], {
    timeoutMs,
    decide: (_, object) => {
      if (object === undefined) throw new CliError(`${targetText(target)} was deleted`);
      const { observedGeneration = 0, replicas: present = 0 } = (object["status"] ?? {}) as Readonly<
        Record<string, number>
      >;
      return observedGeneration >= (metaOf(object).generation ?? 0) && present === replicas;
    },
    late: () => new CliError(`timed out waiting for ${JSON.stringify(target.name)} to be synced`),
  });
}
