// Options that commands which change objects share, in the forms of kubectl: switches may have a value, `--wait=false`.
import { type Command, Option } from "commander";
import { CliError } from "../../process/cli-error";

/** An option whose value may be left out: `--cascade` is `--cascade=background`. */
interface ImpliedValue {
  readonly implied: string;
  readonly values: readonly string[];
}

interface Forms {
  readonly switches: Set<string>;
  readonly implied: Map<string, ImpliedValue>;
}

const known = new WeakMap<Command, Forms>();

/** Adds an option that is on or off. */
export function addSwitch(command: Command, flags: string, description: string, initial = false): Command {
  const option = new Option(flags, description).default(initial, initial ? "true" : undefined);
  const long = option.long as string;
  formsOf(command).switches.add(long);
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
    initial,
  }: {
    readonly description: string;
    readonly values: readonly [string, ...string[]];
    /** Values that older clients took. */
    readonly also?: readonly string[];
    readonly initial?: string;
  },
): Command {
  const option = new Option(`${flags} <value>`, `${description}: ${values.join(", ")}`);
  if (initial !== undefined) option.default(initial);
  const long = option.long as string;
  const all = [...values, ...also];
  option.argParser((value: string) => {
    if (all.includes(value)) return value;
    throw new CliError(`${long}: ${JSON.stringify(value)} is not known: use one of ${values.join(", ")}`);
  });
  formsOf(command).implied.set(long, { implied: values[0], values: all });
  return command.addOption(option);
}

function formsOf(command: Command): Forms {
  const found = known.get(command);
  if (found !== undefined) return found;
  const forms: Forms = { switches: new Set(), implied: new Map() };
  known.set(command, forms);
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => parse(plainForms(words, forms));
  return forms;
}

/** Returns words in the forms that commander reads. */
function plainForms(words: readonly string[], { switches, implied }: Forms): string[] {
  let isOver = false;
  return words.map((word, at) => {
    if (word === "--") isOver = true;
    if (isOver) return word;
    const [name = "", value] = splitAt(word);
    if (value !== undefined && switches.has(name)) {
      if (value === "true") return name;
      if (value === "false") return name.replace("--", "--no-");
      throw new CliError(`${name}: ${JSON.stringify(value)} is not known: use true or false`);
    }
    const choice = implied.get(word);
    return choice !== undefined && !choice.values.includes(words[at + 1] ?? "") ? `${word}=${choice.implied}` : word;
  });
}

function splitAt(word: string): readonly [string, string?] {
  const at = word.indexOf("=");
  return at === -1 || !word.startsWith("--") ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** Collects the values of an option that may be repeated, and whose values may be separated by commas. */
export const separated = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...value.split(",").filter((each) => each !== ""),
];

export type DryRun = "none" | "server" | "client";
export interface DryRunOption {
  readonly dryRun: DryRun;
}

export const addDryRun = (command: Command): Command =>
  addChoice(command, "--dry-run", {
    description: "do not change anything; client: send nothing, server: let the server check it",
    values: ["client", "server", "none"],
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
