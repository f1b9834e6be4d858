// Options that commands which change objects share.

import { type Command, Option } from "commander";
import { CliError } from "../../process/cli-error";
import { separated } from "../../process/global-options";
import { addKustomize } from "../../resources/kustomize";

/** An option whose value may be left out: `--cascade` is `--cascade=background`. */
interface ImpliedValue {
  readonly implied: string;
  readonly values: readonly string[];
}

const known = new WeakMap<Command, Map<string, ImpliedValue>>();

/** Adds an option that is on or off. */
export function addSwitch(command: Command, flags: string, description: string, initial = false): Command {
  const option = new Option(flags, description).default(initial, initial ? "true" : undefined);
  const long = option.long as string;
  return command.addOption(option).addOption(new Option(long.replace("--", "--no-")).hideHelp());
}

/** Adds an option with one of several values. Without a value, it is the first. */
export function addChoice(
  command: Command,
  flags: string,
  {
    description,
    values,
    also = [],
    former = {},
    initial,
  }: {
    readonly description: string;
    readonly values: readonly [string, ...string[]];
    /** Values that older clients took. */
    readonly also?: readonly string[];
    /** Values that older clients took, and what they stand for. */
    readonly former?: Readonly<Record<string, string>>;
    readonly initial?: string;
  },
): Command {
  const option = new Option(`${flags} <value>`, `${description}: ${values.join(", ")}`);
  if (initial !== undefined) option.default(initial);
  const long = option.long as string;
  const all = [...values, ...also];
  option.argParser((value: string) => {
    if (all.includes(value)) return value;
    if (Object.hasOwn(former, value)) return former[value];
    throw new CliError(
      `${long}: invalid - ${long.slice(2)} option ${JSON.stringify(value)}: use one of ${values.join(", ")}`,
    );
  });
  impliedOf(command).set(long, { implied: values[0], values: all });
  return command.addOption(option);
}

function impliedOf(command: Command): Map<string, ImpliedValue> {
  const found = known.get(command);
  if (found !== undefined) return found;
  const implied = new Map<string, ImpliedValue>();
  known.set(command, implied);
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => parse(withValues(words, implied));
  return implied;
}

/** Adds the value to options that have none. Words after `--` belong to another program. */
function withValues(words: readonly string[], implied: ReadonlyMap<string, ImpliedValue>): string[] {
  const end = words.indexOf("--");
  return words.map((word, at) => {
    const choice = end < 0 || at < end ? implied.get(word) : undefined;
    return choice === undefined || choice.values.includes(words[at + 1] ?? "") ? word : `${word}=${choice.implied}`;
  });
}

export type DryRun = "none" | "server" | "client";
export interface DryRunOption {
  readonly dryRun: DryRun;
}

export const addDryRun = (command: Command): Command =>
  addChoice(command, "--dry-run", {
    description: "do not change anything; client: send nothing, server: let the server check it",
    values: ["client", "server", "none"],
    former: { true: "client", false: "none" },
    initial: "none",
  });

export interface ValidateOption {
  readonly validate: string;
}

export const addValidate = (command: Command): Command =>
  addChoice(command, "--validate", {
    description: "unknown and duplicate fields",
    values: ["strict", "warn", "ignore"],
    also: ["true", "false"],
    initial: "strict",
  });

/** Returns the parameter of a request. */
export function fieldValidationOf({ validate }: ValidateOption): "Strict" | "Warn" | "Ignore" {
  if (validate === "warn") return "Warn";
  return validate === "ignore" || validate === "false" ? "Ignore" : "Strict";
}

export interface FileOptions {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
}

export function addFiles(command: Command, what: string): Command {
  command.addOption(
    new Option(
      "-f, --filename <file>",
      `file, folder, URL or - (standard input) with the objects to ${what}`,
    ).argParser(separated),
  );
  addKustomize(command);
  return addSwitch(command, "-R, --recursive", "also read the folders within folders");
}

export interface SelectorOptions {
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
}

export function addSelectors(command: Command): Command {
  command
    .option("-l, --selector <selector>", "only objects whose labels match, such as app=web,tier!=test")
    .option("--field-selector <selector>", "only objects whose fields match, such as status.phase=Running");
  addSwitch(command, "--all", "all objects of the resources in the namespace");
  return addSwitch(command, "-A, --all-namespaces", "the objects of all namespaces");
}
