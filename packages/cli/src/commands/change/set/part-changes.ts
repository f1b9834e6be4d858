// Subcommands of `orch set` that change one field of an object: selector, serviceaccount and subject. Source:
// kubectl/pkg/cmd/set.

import { parseLabelSelector } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../../process/cli-error";
import { separated } from "../../../process/global-options";
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
import { podSpecPatch } from "./pod-template";

interface Options extends FileOptions, SelectorOptions, DryRunOption, OutcomeOptions, ManagerOption {
  readonly local: boolean;
  readonly dryRun: DryRunOption["dryRun"];
}

/** A change of one member of an object. */
interface Change {
  readonly verb: string;
  /** Returns a merge patch; undefined when the object stays. @throws CliError for kinds that cannot be changed */
  readonly patch: (target: Target, object: JsonObject, names: Vocabulary) => JsonObject | undefined;
}

interface SelectorOfService extends Options {
  readonly resourceVersion?: string;
}

export function addSelector(command: Command, session: Session): void {
  command
    .description("set the selector of services")
    .argument("[words...]", "resources and names, then the selector: KEY=VALUE,...")
    .option("--resource-version <version>", "only if the service has this resource version");
  // `--selector` would be taken for the new selector.
  addFiles(command, "change");
  addSwitch(command, "--all", "all objects of the resources in the namespace");
  shared(command);
  command.action(async (words: string[], options: SelectorOfService) => {
    const { resources, last } = withLast(words, "one selector is required");
    const selector = selectorLabels(last);
    const { resourceVersion } = options;
    await changeAll(session, resources, options, {
      verb: "selector updated",
      patch: ({ type }, object) => {
        if (type.kind !== "Service" || type.group !== "") {
          throw new CliError("setting a selector is only supported for Services");
        }
        const removed = Object.keys(mapAt(object, "spec", "selector")).filter((key) => !Object.hasOwn(selector, key));
        return {
          ...(resourceVersion === undefined ? {} : { metadata: { resourceVersion } }),
          spec: { selector: { ...selector, ...Object.fromEntries(removed.map((key) => [key, null])) } },
        };
      },
    });
  });
}

function selectorLabels(text: string): JsonObject {
  if (parseLabelSelector(text) === undefined) {
    throw new CliError(`unable to parse the label selector ${JSON.stringify(text)}`);
  }
  if (/!|[ (]|>|</.test(text) || text.split(",").some((each) => !each.includes("="))) {
    throw new CliError(`match expression ${JSON.stringify(text)} not supported on this object: use KEY=VALUE,...`);
  }
  return pairsOf(text.replaceAll("==", "="), "selector");
}

export function addServiceAccount(command: Command, session: Session): void {
  command
    .description("set the service account of the pods of workloads")
    .aliases(["sa"])
    .argument("[words...]", "resources and names, such as deployment/shop, then the service account");
  addFiles(command, "change");
  addSelectors(command);
  shared(command);
  command.action(async (words: string[], options: Options) => {
    const { resources, last } = withLast(words, "serviceaccount is required");
    await changeAll(session, resources, options, {
      verb: "serviceaccount updated",
      patch: (target) => podSpecPatch(target, { serviceAccountName: last }),
    });
  });
}

interface SubjectOptions extends Options {
  readonly subjectUser?: readonly string[];
  readonly group?: readonly string[];
  readonly serviceaccount?: readonly string[];
}

export function addSubject(command: Command, session: Session): void {
  command
    .description("add subjects to role bindings and cluster role bindings")
    .argument("[resources...]", "resources and names, such as rolebinding/readers")
    // The option `--user` of all commands has another meaning: main renames the one of this command.
    .option("--subject-user <name>", "a user; --user is the same here", separated)
    .option("--group <name>", "a group; may be repeated", separated)
    .option("--serviceaccount <namespace:name>", "a service account; may be repeated", separated);
  addFiles(command, "change");
  addSelectors(command);
  shared(command);
  command.action(async (words: string[], options: SubjectOptions) => {
    const { subjectUser = [], group = [], serviceaccount = [] } = options;
    if (subjectUser.length + group.length + serviceaccount.length === 0) {
      throw new CliError("you must specify at least one value of user, group or serviceaccount");
    }
    await changeAll(session, words, options, {
      verb: "subjects updated",
      patch: ({ type }, object, { groups }) => {
        if (type.group !== groups.rbac || !/^(?:Cluster)?RoleBinding$/.test(type.kind)) {
          throw new CliError("setting subjects is only supported for RoleBinding/ClusterRoleBinding");
        }
        const wanted = [
          ...sorted(subjectUser).map((name) => ({ kind: "User", apiGroup: groups.rbac, name })),
          ...sorted(group).map((name) => ({ kind: "Group", apiGroup: groups.rbac, name })),
          ...sorted(serviceaccount).map((text) => serviceAccount(text, type.namespaced ? session.namespace : "")),
        ];
        const present = (object["subjects"] ?? []) as readonly JsonObject[];
        const added = wanted.filter((one) => !present.some((other) => isSameSubject(one, other)));
        return added.length === 0 ? undefined : { subjects: [...present, ...added] };
      },
    });
  });
}

const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].sort();

function serviceAccount(text: string, ownNamespace: string): JsonObject {
  const [first = "", name = "", ...rest] = text.split(":");
  const namespace = first || ownNamespace;
  if (name === "" || rest.length > 0 || namespace === "") {
    throw new CliError("serviceaccount must be <namespace>:<name>");
  }
  return { kind: "ServiceAccount", namespace, name };
}

const isSameSubject = (one: JsonObject, other: JsonObject): boolean =>
  ["kind", "name", "namespace", "apiGroup"].every((member) => (one[member] ?? "") === (other[member] ?? ""));

function shared(command: Command): void {
  addSwitch(command, "--local", "change the objects of the files, and send nothing");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
}

/** Separates the last word, which is the value. */
function withLast(words: readonly string[], lacking: string) {
  const last = words.at(-1);
  if (last === undefined) throw new CliError(lacking);
  return { resources: words.slice(0, -1), last };
}

async function changeAll(session: Session, words: readonly string[], options: Options, change: Change): Promise<void> {
  if (options.local) requireLocal(words, options);
  await writeChosen(session, { words, options, label: "changing" }, (target) =>
    changed(session, target, { change, options }),
  );
}

async function changed(
  session: Session,
  target: Target,
  { change, options }: { readonly change: Change; readonly options: Options },
): Promise<Written> {
  const { local, dryRun } = options;
  const names = local ? vocabularyOfKind(target) : await session.vocabulary();
  const object = local ? (target.object as JsonObject) : await liveObject(session, target);
  const patch = change.patch(target, object, names);
  if (patch === undefined) return { verb: "", object };
  if (local || dryRun === "client") {
    return { verb: change.verb, object: locallyPatched(names, { target, before: object, patch, type: "merge" }) };
  }
  const client = await clientOf(session, target);
  const result = await client.patch(target.name, "merge", patch, {
    dryRun: dryRun === "server",
    fieldManager: managerOf(names, "set", options),
    signal: session.signal,
  });
  return { verb: change.verb, object: result };
}

function mapAt(object: JsonObject, ...path: readonly string[]): JsonObject {
  let at: JsonValue | undefined = object;
  for (const step of path) at = isObject(at) ? at[step] : undefined;
  return isObject(at) ? at : {};
}
