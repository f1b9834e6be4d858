// The form of a command. The code of a command is loaded when the command is used, so that a start reads little.
import type { Command } from "commander";
import type { Session } from "../session/session";

/** Headings of the help, in their order. */
export const COMMAND_GROUPS = ["look", "change", "access", "connect", "move", "server", "other"] as const;
export type CommandGroup = (typeof COMMAND_GROUPS)[number];

export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly group: CommandGroup;
  /** One line for the list of commands. */
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

interface CommandModule {
  /**
   * Adds arguments, options, subcommands, examples and the action to the command. The action throws CliError, StatusError
   * or ConnectionError; it sets `session.exitCode` for an end that is no error, such as a difference that `diff` found.
   */
  readonly define: (command: Command, session: Session) => void;
}
