// Forms of options that kubectl accepts and commander does not: `-n=web`, and `--watch=true` for an option without a value.
import type { Command } from "commander";
import { CliError } from "../process/cli-error";

/**
 * Returns, of the options of all commands, `-nweb` for `-n=web`, and `-v6` for `--v=6`. Words after `--` belong to another
 * program.
 */
export function withShortForms(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  return words.map((word, at) => {
    if (end >= 0 && at >= end) return word;
    const short = LEVEL.test(word) ? word.replace("--v", "-v") : word;
    return GENERAL.test(short) ? short.replace("=", "") : short;
  });
}

/** A short option of all commands, each of which has a value. */
const GENERAL = /^-[nsv]=./;
/** A short option of one command, which may have no value. */
const SHORT = /^-([a-zA-Z])=(.+)$/;
const LEVEL = /^--v(?:=|$)/;
const SWITCH = /^--([\w-]+)=(.+)$/;

/**
 * Lets a command and its subcommands accept `=true` and `=false` after options without a value, and an equals sign after
 * its short options. Words after `--` belong to another program.
 */
export function acceptBooleans(command: Command): void {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (words) => {
    const end = words.indexOf("--");
    const own = end < 0 ? words : words.slice(0, end);
    return parseOptions([...own.flatMap((word) => plainForm(command, word)), ...words.slice(own.length)]);
  };
  for (const each of command.commands) acceptBooleans(each);
}

function plainForm(command: Command, word: string): readonly string[] {
  const [, letter, given] = SHORT.exec(word) ?? [];
  if (letter !== undefined) {
    const option = command.options.find(({ short }) => short === `-${letter}`);
    if (option === undefined) return [word];
    if (option.required || option.optional) return [`-${letter}${given}`];
    return checkedBoolean(`-${letter}`, given ?? "") ? [`-${letter}`] : [];
  }
  const found = SWITCH.exec(word);
  if (found === null) return [word];
  const [, name, value] = found;
  const known = command.options.find(({ long }) => long === `--${name}`);
  const opposite = command.options.find(({ long }) => long === `--no-${name}`);
  if (known !== undefined) {
    if (known.required || known.optional) return [word];
    if (checkedBoolean(`--${name}`, value ?? "")) return [`--${name}`];
    return opposite === undefined ? [] : [`--no-${name}`];
  }
  // An option that is only known by its opposite is on by default.
  if (opposite === undefined || (value !== "true" && value !== "false")) return [word];
  return value === "true" ? [] : [`--no-${name}`];
}

/** @throws CliError unless the value is true or false */
function checkedBoolean(option: string, value: string): boolean {
  if (value !== "true" && value !== "false") {
    throw new CliError(`${option}: ${JSON.stringify(value)} is neither true nor false`);
  }
  return value === "true";
}
