// Commands for an embedded store that no server has open: `recover` and `restore`.
import { join } from "node:path";
import { helpText, parseFlags, section } from "@orch/machinery";
import { type Recovered, type Restored, recoverStore, restoreBackup } from "@orch/store";

const FLAGS = {
  ...section("Store", {
    "data-dir": { type: "string", default: ".orch", help: "data directory of the server" },
    backup: { type: "string", default: "", help: "restore: file with a backup from /debug/backup" },
  }),
  ...section("Misc", { help: { type: "bool", default: "false", help: "prints this text and exits" } }),
} as const;

const OPENING = `Recovers or restores the embedded store of a server. The server must not be running.

Usage: recover --data-dir DIR
           recovers all readable records of a damaged store, and keeps the damaged files
       restore --data-dir DIR --backup FILE
           creates a store from a backup, in a data directory without a store`;

/** Help text for the programs that have these commands. */
export const COMMANDS_TEXT = `Commands: recover and restore for the embedded store; see --help of each command.`;

const COMMANDS = ["recover", "restore"] as const;
type Command = (typeof COMMANDS)[number];

/** @returns undefined when the command line is that of the server */
export function commandIn([word]: readonly string[]): Command | undefined {
  return COMMANDS.find((command) => command === word);
}

/** Returns the directory of the embedded store. */
export const storeFolder = (dataDir: string): string => join(dataDir, "store");

/** @returns the text to print @throws StoreOpenError; UsageError for a wrong command line */
export async function runStoreCommand(command: Command, words: readonly string[]): Promise<string> {
  const { config, errors } = parseFlags(FLAGS, words);
  if (config.help) return helpText(OPENING, FLAGS);
  const isIncomplete = command === "restore" && config.backup === "";
  const wrong = [...errors, ...(isIncomplete ? ["--backup: must name the file to restore"] : [])];
  if (wrong.length > 0) throw new UsageError(wrong);
  const directory = storeFolder(config["data-dir"]);
  switch (command) {
    case "recover":
      return recoveredText(await recoverStore(directory, new Date()));
    case "restore":
      return restoredText(await restoreBackup(config.backup, directory));
  }
}

export class UsageError extends Error {
  override readonly name = "UsageError";
  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

function recoveredText({ revision, objects, lost, keptIn }: Recovered): string {
  if (keptIn === undefined)
    return `The store is intact: ${objects} keys at revision ${revision}. Nothing was changed.\n`;
  const lines = lost.map((line) => `  ${line}\n`).join("");
  return `Recovered ${objects} keys at revision ${revision}.\nLost:\n${lines}The damaged files are kept in ${keptIn}\n`;
}

const restoredText = ({ revision, objects }: Restored): string =>
  `Restored ${objects} keys at revision ${revision} of the original store.\n`;
