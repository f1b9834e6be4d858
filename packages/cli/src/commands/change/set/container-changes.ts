// Subcommands of `orch set` that change containers: image and resources, and what env shares with them. Source:
// kubectl/pkg/cmd/set.
import type { JsonObject } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import type { Session } from "../../../session/session";
import { pairsOf } from "../create/generator";
import { locallyPatched, requireLocal, vocabularyOfKind } from "../local-objects";
import { addFieldManager, type ManagerOption, managerOf } from "../managers";
import {
  addDryRun,
  addFiles,
  addSelectors,
  addSwitch,
  type DryRunOption,
  type FileOptions,
  type SelectorOptions,
} from "../options";
import { addOutput, type OutcomeOptions } from "../outcome";
import { type Written, writeChosen } from "../selected-write";
import { clientOf, liveObject, type Target } from "../targets";
import { type Container, containersOf, isChosen, podSpecOf, podSpecPatch } from "./pod-template";

export interface SetOptions extends FileOptions, SelectorOptions, DryRunOption, OutcomeOptions, ManagerOption {
  readonly containers: string;
  readonly local: boolean;
  readonly dryRun: DryRunOption["dryRun"];
}

interface Change {
  readonly verb: string;
  /** Returns the changed container; undefined when it stays. */
  readonly change: (container: Container, target: Target) => JsonObject | undefined;
  /** Patterns that each must match a container, and their texts in errors. */
  readonly needed?: readonly { readonly pattern: string; readonly shown: string }[];
}

const WORDS = "resources and names, such as deployment/shop, then the changes";

export function addImage(command: Command, session: Session): void {
  command.description("set the images of containers").argument("[words...]", `${WORDS} CONTAINER=IMAGE`);
  addShared(command);
  command.action(async (words: string[], options: SetOptions) => {
    const { resources, pairs } = splitPairs(words);
    if (pairs.length === 0) throw new CliError("at least one image update is required");
    await changeAll(
      session,
      { resources, options },
      {
        verb: "image updated",
        needed: pairs.map(([pattern]) => ({ pattern, shown: JSON.stringify(pattern) })),
        change: ({ name, image: present }) => {
          const image = pairs.findLast(([pattern]) => isChosen(name, pattern))?.[1];
          return image === undefined || image === present ? undefined : { name, image };
        },
      },
    );
  });
}

interface ResourcesOptions extends SetOptions {
  readonly limits?: string;
  readonly requests?: string;
}

export function addResources(command: Command, session: Session): void {
  command.description("set the resource requests and limits of containers").argument("[resources...]", WORDS);
  addShared(command);
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
    await changeAll(
      session,
      { resources: words, options },
      {
        verb: "resource requirements updated",
        needed: containers === "*" ? [] : [{ pattern: containers, shown: containers }],
        change: ({ name }) => (isChosen(name, containers) ? { name, resources } : undefined),
      },
    );
  });
}

/** Adds the options of all subcommands that change containers. */
export function addShared(command: Command): void {
  addFiles(command, "change");
  addSelectors(command);
  addSwitch(command, "--local", "change the objects of the files, and send nothing");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
}

/** Separates resources from `k=v` and `k-`. */
export function splitPairs(words: readonly string[]) {
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

/** Changes containers of the objects that words, files and selectors choose. */
export async function changeAll(session: Session, { resources, options }: What, change: Change): Promise<void> {
  if (options.local) requireLocal(resources, options);
  await writeChosen(session, { words: resources, options, label: "changing" }, (target) =>
    changed(session, target, { change, options }),
  );
}

async function changed(
  session: Session,
  target: Target,
  { change, options }: { readonly change: Change; readonly options: SetOptions },
): Promise<Written> {
  const { local, dryRun } = options;
  const live = local ? (target.object as JsonObject) : await liveObject(session, target);
  const spec = podSpecOf(target, live);
  const groups = (["containers", "initContainers"] as const).map(
    (member) => [member, containersOf(spec, member)] as const,
  );
  const names = groups.flatMap(([, each]) => each.map(({ name }) => name));
  const absent = (change.needed ?? []).find(({ pattern }) => !names.some((name) => isChosen(name, pattern)));
  if (absent !== undefined) throw new CliError(`unable to find container named ${absent.shown}`);
  const patch: JsonObject = {};
  for (const [member, containers] of groups) {
    const items = containers.map((each) => change.change(each, target)).filter((each) => each !== undefined);
    if (items.length > 0) patch[member] = items;
  }
  if (Object.keys(patch).length === 0) return { verb: "", object: live };
  const whole = podSpecPatch(target, patch);
  if (local || dryRun === "client") {
    const object = locallyPatched(vocabularyOfKind(target), { target, before: live, patch: whole, type: "strategic" });
    return { verb: change.verb, object };
  }
  const client = await clientOf(session, target);
  const object = await client.patch(target.name, "strategic", whole, {
    dryRun: dryRun === "server",
    fieldManager: managerOf(await session.vocabulary(), "set", options),
    signal: session.signal,
  });
  return { verb: change.verb, object };
}
