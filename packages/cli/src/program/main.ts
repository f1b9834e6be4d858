// The command line: reads the name of the command, loads its code and runs it.
import { isCode } from "@orch/machinery";
import { Command } from "commander";
import { addGlobalOptions, type GlobalOptions } from "../process/global-options";
import { processIo } from "../process/io";
import { Session } from "../session/session";
import { leaveExcess, refuseExcess, withLikelyOption } from "./argument-faults";
import { COMMAND_GROUPS, type CommandEntry, type CommandGroup } from "./command";
import { failureOf } from "./failure-text";
import { acceptBooleans, withShortForms } from "./flag-forms";
import { withOwnOptions } from "./shadowed-options";

const HEADINGS: Readonly<Record<CommandGroup, string>> = {
  look: "Look:",
  change: "Change:",
  access: "Access:",
  connect: "Connect:",
  move: "Move and try:",
  server: "Run and keep servers:",
  other: "Other:",
};
const INTERRUPTED = 130;

/**
 * Runs a command. @param words arguments after the name of the program
 * @param commands those that the program knows @returns the exit code
 */
export async function main(words: readonly string[], commands: readonly CommandEntry[]): Promise<number> {
  const io = processIo();
  const interruption = new AbortController();
  const program = programOf(io.environment["ORCH_AS_PLUGIN"] === "kubectl" ? "kubectl orch" : "orch");
  const session = new Session(io, () => program.opts<GlobalOptions>(), interruption.signal);
  process.once("SIGINT", () => {
    session.exitCode = INTERRUPTED;
    interruption.abort(new Error("interrupted"));
  });
  addCommands(program, session, { words, commands });
  try {
    await program.parseAsync(asCommand(withOwnOptions(words), commands), { from: "user" });
    session.endWarnings();
    return session.exitCode;
  } catch (error) {
    if (interruption.signal.aborted) return INTERRUPTED;
    const { text, exitCode } = failureOf(error, serverOf(session));
    if (text !== "") session.tell(text);
    if (isCode(error, 401)) await tellCertificate(session);
    // A command may have a code of its own for errors, such as `diff`.
    return Math.max(exitCode, session.exitCode);
  } finally {
    session.close();
  }
}

function programOf(name: string): Command {
  const program = new Command(name)
    .description("Runs API servers, and shows, changes and moves their objects.")
    .usage("COMMAND [arguments] [options]")
    .exitOverride()
    .configureHelp({ helpWidth: 100, showGlobalOptions: false })
    .helpCommand(false)
    .showHelpAfterError(false)
    .addHelpText("after", "\nRun orch COMMAND --help for a command, and orch options for the options of all commands.");
  addGlobalOptions(program);
  return program;
}

interface Known {
  readonly words: readonly string[];
  readonly commands: readonly CommandEntry[];
}

/** Adds all commands by name. The code of the one that is used is loaded, and completes it, before it is parsed. */
function addCommands(program: Command, session: Session, { words, commands }: Known): void {
  let used: Command = program;
  program.configureOutput({ outputError: (text, write) => write(withLikelyOption(text, [used, program])) });
  const entries = new Map<Command, CommandEntry>();
  for (const group of COMMAND_GROUPS) {
    program.commandsGroup(HEADINGS[group]);
    for (const entry of commands.filter((each) => each.group === group)) {
      const command = program
        .command(entry.name)
        .description(entry.summary)
        .aliases(entry.aliases ?? []);
      command.exitOverride().helpCommand(false);
      entries.set(command, entry);
    }
  }
  program.hook("preSubcommand", async (_, command) => {
    const entry = entries.get(command);
    if (entry === undefined) return;
    (await entry.load()).define(command, session);
    acceptBooleans(command);
    leaveExcess(command);
    used = command;
  });
  program.hook("preAction", (_, command) => {
    refuseExcess(command, words);
    const { filename = [] } = command.opts<{ readonly filename?: readonly string[] | string }>();
    if ([...command.args, ...[filename].flat()].includes("-")) session.stdinTakenBy = "stdin resource manifest reader";
  });
}

/** Reads `help get` as `get --help`. */
function asCommand(words: readonly string[], commands: readonly CommandEntry[]): string[] {
  const [first, ...rest] = words;
  if (first === undefined) return ["--help"];
  if (first !== "help") return withShortForms(words);
  const [topic] = rest;
  const isKnown = commands.some(({ name, aliases = [] }) => name === topic || aliases.includes(topic ?? ""));
  // A command that does not exist has no help: its name alone gives the error that suggests another.
  return topic === undefined || topic.startsWith("-") || isKnown ? withShortForms([...rest, "--help"]) : [topic];
}

/** Tells when the server has refused the user because of an expired certificate: its answer does not say so. */
async function tellCertificate(session: Session): Promise<void> {
  const { certificateNote } = await import("../connection/certificate-note.js");
  const note = certificateNote(session.connection, session.io.now());
  if (note !== undefined) session.tell(`error: ${note}`);
}

function serverOf(session: Session): string | undefined {
  try {
    return session.connection.server;
  } catch {
    return undefined;
  }
}
