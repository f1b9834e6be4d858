// `orch autoscale`: creates a horizontal pod autoscaler for a workload.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { throwAll } from "./in-order";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import { addDryRun, addFiles, type DryRun, type FileOptions } from "./options";
import { addOutput, type OutcomeOptions, Outcomes } from "./outcome";
import { chosenTargets, clientOf, liveObject, type Target } from "./targets";

interface Options extends FileOptions, ManagerOption, OutcomeOptions {
  readonly name?: string;
  readonly min: string;
  readonly max?: string;
  readonly cpu?: string;
  readonly cpuPercent?: string;
  readonly memory?: string;
  readonly dryRun: DryRun;
}

export function define(command: Command, session: Session): void {
  command
    .argument("[resources...]", "resource and name, such as deployment shop")
    .option("--name <name>", "name of the autoscaler; default: that of the object")
    .option("--min <number>", "least number of replicas", "-1")
    .option("--max <number>", "largest number of replicas")
    .option("--cpu <percentage|quantity>", "wanted use of CPU, such as 80% or 500m")
    .option("--cpu-percent <number>", "wanted use of CPU in percent of the requests")
    .option("--memory <percentage|quantity>", "wanted use of memory, such as 70% or 500Mi");
  addFiles(command, "autoscale");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
  command.action(async (words: string[], options: Options) => {
    const limits = limitsOf(options);
    const outcomes = new Outcomes(session, options);
    const { filename, recursive = false } = options;
    const { targets, errors } = await chosenTargets(session, words, filename ? { filename, recursive } : {});
    for (const target of targets) {
      const { scaler, object } = await autoscaled(session, target, { options, limits });
      outcomes.tell(scaler, "autoscaled", object);
    }
    throwAll(errors);
  });
}

interface Limits {
  readonly min: number;
  readonly max: number;
}

function limitsOf(options: Options): Limits {
  const min = Number(options.min);
  const max = Number(options.max);
  if (options.max === undefined) throw new CliError('required flag(s) "max" not set');
  if (!Number.isInteger(max) || max < 1) throw new CliError("--max=MAXPODS is required and must be at least 1");
  if (max < min) throw new CliError(`--max=MAXPODS must be larger or equal to --min=MINPODS, max: ${max}, min: ${min}`);
  return { min, max };
}

async function autoscaled(
  session: Session,
  source: Target,
  { options, limits }: { readonly options: Options; readonly limits: Limits },
) {
  await liveObject(session, source);
  const { type } = source;
  const name = options.name ?? source.name;
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  const metrics = [
    ...metric("cpu", options.cpu ?? (options.cpuPercent === undefined ? undefined : `${options.cpuPercent}%`)),
    ...metric("memory", options.memory),
  ];
  const object: JsonObject = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name },
    spec: {
      maxReplicas: limits.max,
      ...(limits.min > 0 ? { minReplicas: limits.min } : {}),
      scaleTargetRef: { apiVersion, kind: type.kind, name: source.name },
      ...(metrics.length === 0 ? {} : { metrics }),
    },
  };
  const scaler: Target = {
    type: await (await session.catalog()).forKind("autoscaling/v2", "HorizontalPodAutoscaler"),
    namespace: source.namespace,
    name,
    object,
    source: undefined,
  };
  if (options.dryRun === "client") return { scaler, object };
  const client = await clientOf(session, scaler);
  const fieldManager = managerOf(await session.vocabulary(), "autoscale", options);
  return {
    scaler,
    object: await client.create(object, { fieldManager, dryRun: options.dryRun === "server", signal: session.signal }),
  };
}

function metric(name: string, text: string | undefined): JsonObject[] {
  if (text === undefined) return [];
  const percent = /^(\d+)%$/.exec(text)?.[1];
  const target: JsonObject =
    percent === undefined
      ? { type: "AverageValue", averageValue: text }
      : { type: "Utilization", averageUtilization: Number(percent) };
  return [{ type: "Resource", resource: { name, target } }];
}
