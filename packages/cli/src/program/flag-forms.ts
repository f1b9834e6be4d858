// Forms of options that kubectl accepts and commander does not: `-n=web`, and `--watch=true` for an option without a value.
import type { Command } from "commander";
import { CliError } from "../process/cli-error";

/** Returns `-nweb` for `-n=web`, and `-v6` for `--v=6`. Words after `--` belong to another program. */
export function withShortForms(words: readonly string[]): string[] {
  const end = words.indexOf("--");
  return words.map((word, at) => {
    if (end >= 0 && at >= end) return word;
    const short = LEVEL.test(word) ? word.replace("--v", "-v") : word;
    return SHORT.test(short) && !SHORT_SWITCH.test(short) ? short.replace("=", "") : short;
  });
}

const SHORT = /^-[a-zA-Z]=./;
/** A short option of one command that may have no value. */
const SHORT_SWITCH = /^-(?![nsv])([a-zA-Z])=(true|false)$/;
const LEVEL = /^--v(?:=|$)/;
const SWITCH = /^--([\w-]+)=(.+)$/;

/** Lets a command and its subcommands accept `=true` and `=false` after options without a value. */
export function acceptBooleans(command: Command): void {
  const parseOptions = command.parseOptions.bind(command);
  command.parseOptions = (words) => parseOptions(words.flatMap((word) => plainForm(command, word)));
  for (const each of command.commands) acceptBooleans(each);
}

function plainForm(command: Command, word: string): readonly string[] {
  const [, letter, switched] = SHORT_SWITCH.exec(word) ?? [];
  if (letter !== undefined) {
    const option = command.options.find(({ short }) => short === `-${letter}`);
    if (option === undefined || option.required || option.optional) return [`-${letter}${switched}`];
    return switched === "true" ? [`-${letter}`] : [];
  }
  const found = SWITCH.exec(word);
  if (found === null) return [word];
  const [, name, value] = found;
  const known = command.options.find(({ long }) => long === `--${name}`);
  const opposite = command.options.find(({ long }) => long === `--no-${name}`);
  if (known !== undefined) {
    if (known.required || known.optional) return [word];
    if (value !== "true" && value !== "false") {
      throw new CliError(`--${name}: ${JSON.stringify(value)} is neither true nor false`);
    }
    if (value === "true") return [`--${name}`];
    return opposite === undefined ? [] : [`--no-${name}`];
  }
  // An option that is only known by its opposite is on by default.
  if (opposite === undefined || (value !== "true" && value !== "false")) return [word];
  return value === "true" ? [] : [`--no-${name}`];
}
