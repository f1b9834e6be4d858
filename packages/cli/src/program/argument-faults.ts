// Words that a command does not know: arguments too many, and mistyped options and subcommands.
import type { Command } from "commander";
import { CliError } from "../process/cli-error";
import { likelyText } from "../process/likely-text";

/** Commands that pass words that they do not know to a server program, which checks them. */
const PASSES_WORDS: ReadonlySet<string> = new Set(["up"]);

/** Leaves the check of too many arguments to `refuseExcess`, whose text names the argument. */
export function leaveExcess(command: Command): void {
  command.allowExcessArguments();
  for (const each of command.commands) leaveExcess(each);
}

/** @param words words of the command line @throws CliError for the first argument that the command does not take */
export function refuseExcess(command: Command, words: readonly string[]): void {
  const { args, registeredArguments: taken, parent } = command;
  const excess = args[taken.length];
  if (excess === undefined || taken.at(-1)?.variadic === true || PASSES_WORDS.has(command.name())) return;
  // A group has no command of this name: the word was passed to the group itself, or to its default.
  const isDefault = Boolean(parent?.parent) && !words.includes(command.name()) && command.aliases().length === 0;
  const group = command.commands.length > 0 ? command : isDefault ? (parent ?? undefined) : undefined;
  if (group !== undefined) throw new CliError(unknownText(group, args[0] ?? excess));
  const what = taken.length === 0 ? "options" : taken.map((each) => each.name().toUpperCase()).join(" ");
  const file = command.options.some(({ long }) => long === "--filename") ? "; give each file its own -f" : "";
  throw new CliError(`unexpected argument ${JSON.stringify(excess)}: ${pathOf(command)} takes only ${what}${file}`);
}

function unknownText(group: Command, word: string): string {
  const names = group.commands.flatMap((each) => [each.name(), ...each.aliases()]);
  const likely = likelyText(word, names) || `: it has ${group.commands.map((each) => each.name()).join(", ")}`;
  return `unknown command ${JSON.stringify(word)} of ${pathOf(group)}${likely}`;
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

const UNKNOWN_OPTION = /^error: unknown option '(--[^=']+)(?:=[^']*)?'\n$/;

/** Names the likely option in an error that names none: of `--optoin=value`, and of an option of all commands. */
export function withLikelyOption(text: string, commands: readonly Command[]): string {
  const name = UNKNOWN_OPTION.exec(text)?.[1];
  if (name === undefined) return text;
  const known = commands.flatMap((command) => optionsOf(command));
  const [, likely] = /"(.+)"/.exec(likelyText(name, known)) ?? [];
  return `error: unknown option '${name}'\n${likely === undefined ? "" : `(Did you mean ${likely}?)\n`}`;
}

const optionsOf = (command: Command): readonly string[] => [
  ...command.options.flatMap(({ long }) => long ?? []),
  ...command.commands.flatMap(optionsOf),
];
