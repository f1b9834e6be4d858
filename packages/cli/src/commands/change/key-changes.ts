// Changes of labels and annotations: `k=v` sets a key, `k-` removes it. Source: kubectl/pkg/cmd/label/label.go.
import { metaOf } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { Command } from "commander";
import { CliError } from "../../process/cli-error";
import type { Session } from "../../session/session";
import { requireLocal } from "./local-objects";
import { addFieldManager, type ManagerOption, managerOf } from "./managers";
import {
  addDryRun,
  addFiles,
  addSelectors,
  addSwitch,
  type DryRunOption,
  type FileOptions,
  type SelectorOptions,
} from "./options";
import { addOutput, type OutcomeOptions } from "./outcome";
import { type Written, writeChosen } from "./selected-write";
import { clientOf, liveObject, type Target } from "./targets";

interface Options extends FileOptions, SelectorOptions, DryRunOption, ManagerOption, OutcomeOptions {
  readonly overwrite: boolean;
  readonly list: boolean;
  readonly local: boolean;
  readonly resourceVersion?: string;
  readonly dryRun: DryRunOption["dryRun"];
}

export interface KeyChanges {
  readonly set: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
}

/** Member of the metadata that a command changes, and its words. */
interface Form {
  readonly member: "labels" | "annotations";
  readonly command: "label" | "annotate";
}

export function defineKeyChanges(command: Command, session: Session, form: Form): void {
  const what = form.member === "labels" ? "label" : "annotation";
  command.argument("[words...]", `resources and names, then KEY=VALUE to set and KEY- to remove a ${what}`);
  addFiles(command, form.command);
  addSelectors(command);
  addSwitch(command, "--overwrite", `allow a change of a ${what} that has a value`);
  addSwitch(command, "--list", `print the ${form.member} of the objects`);
  command.option("--resource-version <version>", "change one object only if it still has this version");
  addSwitch(command, "--local", "change the objects of the files, and send nothing");
  addFieldManager(command);
  addDryRun(command);
  addOutput(command);
  command.addHelpText(
    "after",
    `\nExamples:\n  orch ${form.command} pod web tier=front      set a ${what}\n  orch ${form.command} pod web tier-           remove it\n  orch ${form.command} pods --all tier=back --overwrite`,
  );
  command.action(async (words: string[], options: Options) => {
    const { resources, changes, isEmpty } = splitWords(words, options);
    if (isEmpty && !options.list) throw new CliError(`at least one ${what} update is required`);
    if (options.resourceVersion !== undefined && (options.all || options.selector !== undefined)) {
      throw new CliError("--resource-version may only be used with a single resource");
    }
    if (options.local) requireLocal(resources, options);
    await writeChosen(session, { words: resources, options, label: `changing ${form.member}` }, (target) =>
      changed(session, { target, form, changes, options }),
    );
  });
}

/** Separates resources from changes. @throws CliError for a key that is set and removed */
export function splitWords(
  words: readonly string[],
  { filename }: FileOptions,
): { readonly resources: readonly string[]; readonly changes: KeyChanges; readonly isEmpty: boolean } {
  const isChange = (word: string) => word.includes("=") || (word.endsWith("-") && word !== "-");
  const first = words.findIndex((word, at) => isChange(word) && (filename !== undefined || at > 0));
  const resources = first === -1 ? words : words.slice(0, first);
  const set: Record<string, string> = {};
  const remove: string[] = [];
  for (const word of first === -1 ? [] : words.slice(first)) {
    const at = word.indexOf("=");
    if (at > 0) set[word.slice(0, at)] = word.slice(at + 1);
    else if (isChange(word) && at === -1) remove.push(word.slice(0, -1));
    else throw new CliError(`${JSON.stringify(word)}: use KEY=VALUE to set, and KEY- to remove`);
  }
  const both = remove.filter((key) => Object.hasOwn(set, key));
  if (both.length > 0) throw new CliError(`can not both modify and remove the same key: ${both.join(", ")}`);
  return { resources, changes: { set, remove }, isEmpty: first === -1 };
}

interface Change {
  readonly target: Target;
  readonly form: Form;
  readonly changes: KeyChanges;
  readonly options: Options;
}

async function changed(session: Session, { target, form, changes, options }: Change): Promise<Written> {
  const isKnown = target.object !== undefined && (options.local || target.source === undefined);
  const live = isKnown ? (target.object as JsonObject) : await liveObject(session, target);
  if (options.list) {
    for (const [key, value] of Object.entries(metaOf(live)[form.member] ?? {})) session.write(`${key}=${value}\n`);
    if (Object.keys(changes.set).length + changes.remove.length === 0) return { verb: "", object: live };
  }
  const before = metaOf(live)[form.member] ?? {};
  if (!options.overwrite) requireNew(before, changes);
  for (const key of changes.remove) {
    if (form.member === "labels" && !Object.hasOwn(before, key)) session.write(`label "${key}" not found.\n`);
  }
  const verb = verbOf(form, before, changes);
  if (options.local || options.dryRun === "client") return { verb, object: withChanges(live, form, changes) };
  const patch = patchOf(before, changes);
  if (Object.keys(patch).length === 0) return { verb, object: live };
  const resourceVersion = options.resourceVersion === undefined ? {} : { resourceVersion: options.resourceVersion };
  const names = await session.vocabulary();
  const client = await clientOf(session, target);
  const object = await client.patch(
    target.name,
    "merge",
    { metadata: { [form.member]: patch, ...resourceVersion } },
    {
      dryRun: options.dryRun === "server",
      fieldManager: managerOf(names, form.command, options),
      signal: session.signal,
    },
  );
  return { verb, object };
}

function requireNew(before: Readonly<Record<string, string>>, { set }: KeyChanges): void {
  for (const [key, value] of Object.entries(set)) {
    const old = before[key];
    if (old !== undefined && old !== value) {
      throw new CliError(`'${key}' already has a value (${old}), and --overwrite is false`);
    }
  }
}

function patchOf(before: Readonly<Record<string, string>>, { set, remove }: KeyChanges): JsonObject {
  const entries: [string, JsonValue][] = Object.entries(set).filter(([key, value]) => before[key] !== value);
  for (const key of remove) if (Object.hasOwn(before, key)) entries.push([key, null]);
  return Object.fromEntries(entries);
}

function verbOf({ member }: Form, before: Readonly<Record<string, string>>, { set, remove }: KeyChanges): string {
  if (member === "annotations") return "annotated";
  const isSet = Object.entries(set).some(([key, value]) => before[key] !== value);
  const isRemoved = remove.some((key) => Object.hasOwn(before, key));
  if (isSet) return "labeled";
  return isRemoved ? "unlabeled" : "not labeled";
}

function withChanges(object: JsonObject, { member }: Form, { set, remove }: KeyChanges): JsonObject {
  const kept = Object.entries({ ...metaOf(object)[member], ...set }).filter(([key]) => !remove.includes(key));
  return { ...object, metadata: { ...(object["metadata"] as JsonObject), [member]: Object.fromEntries(kept) } };
}
