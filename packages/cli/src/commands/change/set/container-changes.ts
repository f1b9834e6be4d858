// Subcommands of `orch set` that change containers: image, env and resources. Source: kubectl/pkg/cmd/set.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { pairsOf } from "../create/generator";
import { addFieldManager, type ManagerOption, managerOf } from "../managers";
import {
  addDryRun,
  addFiles,
  addSelectors,
  type DryRunOption,
  type FileOptions,
  type SelectorOptions,
} from "../options";
import { addOutput, type OutcomeOptions } from "../outcome";
import { type Written, writeChosen } from "../selected-write";
import { clientOf, liveObject, type Target } from "../targets";
import { type Container, containersOf, isChosen, podSpecOf, podSpecPatch } from "./pod-template";

interface SetOptions extends FileOptions, SelectorOptions, DryRunOption, OutcomeOptions, ManagerOption {
  readonly containers: string;
  readonly dryRun: DryRunOption["dryRun"];
}

interface Change {
  readonly verb: string;
  /** Returns the changed container; undefined when it stays. */
  readonly change: (container: Container) => JsonObject | undefined;
  /** Texts that each must be the name of a container. */
  readonly needed?: readonly string[];
}

const WORDS = "resources and names, such as deployment/shop, then the changes";

export function addImage(command: Command, session: Session): void {
  command.description("set the images of containers").argument("[words...]", `${WORDS} CONTAINER=IMAGE`);
  shared(command);
  command.action(async (words: string[], options: SetOptions) => {
    const { resources, pairs } = splitPairs(words);
    if (pairs.length === 0) throw new CliError("at least one image update is required");
    await changeAll(session, { resources, options }, () => ({
      verb: "image updated",
      needed: pairs.map(([name]) => name),
      change: ({ name, image: present }) => {
        const image = pairs.findLast(([pattern]) => isChosen(name, pattern))?.[1];
        return image === undefined || image === present ? undefined : { name, image };
      },
    }));
  });
}

interface EnvOptions extends SetOptions {
  readonly env?: readonly string[];
  readonly overwrite: boolean;
}

export function addEnv(command: Command, session: Session): void {
  command
    .description("set and remove environment variables of containers")
    .argument("[words...]", `${WORDS} NAME=VALUE or NAME-`);
  shared(command);
  command
    .option("-c, --containers <pattern>", "only containers of this name; * stands for any characters", "*")
    .option("-e, --env <name=value>", "a variable; may be repeated", (text: string, before: readonly string[] = []) => [
      ...before,
      text,
    ]);
  command.action(async (words: string[], options: EnvOptions) => {
    const { resources, pairs, removed } = splitPairs([...words, ...(options.env ?? [])]);
    if (pairs.length + removed.length === 0) throw new CliError("at least one environment variable must be provided");
    await changeAll(session, { resources, options }, () => ({
      verb: "env updated",
      change: (container) => {
        if (!isChosen(container.name, options.containers)) return undefined;
        const present = (container["env"] ?? []) as { readonly name: string; readonly value?: string }[];
        const set = pairs
          .filter(([name, value]) => !present.some((each) => each.name === name && each.value === value))
          .map(([name, value]) => ({ name, value, valueFrom: null }));
        const gone = removed
          .filter((name) => present.some((each) => each.name === name))
          .map((name) => ({ name, $patch: "delete" }));
        return set.length + gone.length === 0 ? undefined : { name: container.name, env: [...set, ...gone] };
      },
    }));
  });
}

interface ResourcesOptions extends SetOptions {
  readonly limits?: string;
  readonly requests?: string;
}

export function addResources(command: Command, session: Session): void {
  command.description("set the resource requests and limits of containers").argument("[resources...]", WORDS);
  shared(command);
  command
    .option("-c, --containers <pattern>", "only containers of this name; * stands for any characters", "*")
    .option("--limits <name=quantity,...>", "such as cpu=200m,memory=512Mi")
    .option("--requests <name=quantity,...>", "such as cpu=100m,memory=256Mi");
  command.action(async (words: string[], options: ResourcesOptions) => {
    const { limits, requests, containers } = options;
    if (limits === undefined && requests === undefined)
      throw new CliError("you must specify an update to requests or limits (in the form of --requests/--limits)");
    const resources: JsonObject = {
      ...(limits === undefined ? {} : { limits: pairsOf(limits, "--limits") }),
      ...(requests === undefined ? {} : { requests: pairsOf(requests, "--requests") }),
    };
    await changeAll(session, { resources: words, options }, () => ({
      verb: "resource requirements updated",
      change: ({ name }) => (isChosen(name, containers) ? { name, resources } : undefined),
    }));
  });
}

function shared(command: Command): void {
  addFiles(command, "change");
  addSelectors(command);
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
}

/** Separates resources from `k=v` and `k-`. */
function splitPairs(words: readonly string[]) {
  const resources: string[] = [];
  const pairs: (readonly [string, string])[] = [];
  const removed: string[] = [];
  for (const [place, word] of words.entries()) {
    const at = word.indexOf("=");
    if (at > 0) pairs.push([word.slice(0, at), word.slice(at + 1)]);
    else if (place > 0 && word.endsWith("-")) removed.push(word.slice(0, -1));
    else resources.push(word);
  }
  return { resources, pairs, removed };
}

interface What {
  readonly resources: readonly string[];
  readonly options: SetOptions;
}

async function changeAll(session: Session, { resources, options }: What, changeOf: () => Change): Promise<void> {
  const change = changeOf();
  await writeChosen(session, { words: resources, options, label: "changing" }, (target) =>
    changed(session, target, { change, options }),
  );
}

async function changed(
  session: Session,
  target: Target,
  { change, options }: { readonly change: Change; readonly options: SetOptions },
): Promise<Written> {
  const live = await liveObject(session, target);
  const spec = podSpecOf(target, live);
  const groups = (["containers", "initContainers"] as const).map(
    (member) => [member, containersOf(spec, member)] as const,
  );
  const names = groups.flatMap(([, each]) => each.map(({ name }) => name));
  const absent = (change.needed ?? []).find((pattern) => !names.some((name) => isChosen(name, pattern)));
  if (absent !== undefined) throw new CliError(`unable to find container named ${JSON.stringify(absent)}`);
  const patch: JsonObject = {};
  for (const [member, containers] of groups) {
    const items = containers.map(change.change).filter((each) => each !== undefined);
    if (items.length > 0) patch[member] = items;
  }
  if (Object.keys(patch).length === 0) return { verb: "", object: live };
  if (options.dryRun === "client") return { verb: change.verb, object: live };
  const client = await clientOf(session, target);
  const object = await client.patch(target.name, "strategic", podSpecPatch(target, patch), {
    dryRun: options.dryRun === "server",
    fieldManager: managerOf(await session.vocabulary(), "set", options),
    signal: session.signal,
  });
  return { verb: change.verb, object };
}
