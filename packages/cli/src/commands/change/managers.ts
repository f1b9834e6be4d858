// Field managers of the commands: the names that the command line of the server's vocabulary has.
import type { Vocabulary } from "@orch/schema";
import type { Command } from "commander";

export interface ManagerOption {
  readonly fieldManager?: string;
}

export const addFieldManager = (command: Command): Command =>
  command.option("--field-manager <name>", "name under which the server records the changed fields");

/** Returns the field manager of a command, such as `create`. */
export const managerOf = (vocabulary: Vocabulary, command: string, { fieldManager }: ManagerOption = {}): string =>
  fieldManager ?? `${vocabulary.fieldManagers.orchctlPrefix}${command}`;
