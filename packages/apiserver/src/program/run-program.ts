// From a command line to a server that serves, and back.

import { type FlagTable, helpText, parseFlags } from "@orch/machinery";
import {
  collectWhenQuiet,
  endOnSignals,
  errorFields,
  GroupMember,
  keepGarbageYoung,
  type Leaving,
  outliveErrors,
  takeSeat,
} from "@orch/platform";
import { VOCABULARY_NAMES, type Vocabulary, type VocabularyName, vocabularyOf } from "@orch/schema";
import { StoreOpenError } from "@orch/store";
import { packageVersion } from "../discovery/build-record";
import { versionInfo } from "../discovery/version-document";
import { withDependentDefaults } from "../flags/dependent-defaults";
import { flagAliases, SERVER_FLAGS, type ServerConfig } from "../flags/server-flags";
import { type Settings, SettingsError, settingsOf } from "../flags/settings";
import { createLogger, type Logger } from "../logging/logger";
import { startFailure } from "../server/start-failure";
import { isForRoom } from "../tls/disk-failure";
import { ownShare } from "../workers/own-share";
import { adviceOn, EXIT_CODES } from "./exit-codes";
import { greet, mannerOf } from "./greeting";
import { type AuthorityFiles, type OpenedServer, openServer } from "./open-server";
import { COMMANDS_TEXT, commandIn, runStoreCommand, UsageError } from "./store-commands";

const OPENING = `Serves the resource API over TLS, on etcd or on a store of its own.

Usage: orch-apiserver [options]

Without options it keeps its objects in .orch, listens on 127.0.0.1, port 6443, authorizes by RBAC, and writes
.orch/admin.kubeconfig for its operator.`;

/** Something that runs in the server's process, as the server's client. */
export interface Companion {
  stop(): Promise<void>;
}

/** The server as a companion sees it. */
export interface CompanionServer {
  /** A client configuration file for it; undefined where the server has no authority to make one, or no room. */
  readonly kubeconfig: string | undefined;
  /** That of its operator; undefined with the other. */
  readonly operatorKubeconfig: string | undefined;
  /** Where other machines find it. */
  readonly publicUrl: string;
  readonly vocabulary: VocabularyName;
  /** With the private key by which the server knows tokens that secrets keep; undefined where it has none. */
  readonly accountKeyFile: string | undefined;
  /** Of the authority whose client certificates the server takes; undefined where it has none of its own. */
  readonly authorityFiles: AuthorityFiles | undefined;
  /** Other servers may serve the same objects. */
  readonly sharesStore: boolean;
  readonly logger: Logger;
  readonly commandLine: CompanionConfig;
}

export interface CompanionConfig {
  /** The server's options, and with `isWhole` those of the companion too. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Names of the options that were set. */
  readonly given: ReadonlySet<string>;
  /** False where the command line names none of the companion's own options. */
  readonly isWhole: boolean;
}

/** Options that a program has beside the server's. */
export interface CompanionOptions {
  readonly table: FlagTable;
  readonly aliases: Readonly<Record<string, string>>;
  /** @returns what is wrong with them, one line each */
  problems(commandLine: CompanionConfig): readonly string[];
}

export interface ProgramOptions {
  /** What `--version` calls the program. Default: the API server, by its name in the vocabulary. */
  readonly name?: string;
  /** What `--help` says first: what the program is, and how it is called. Default: of the API server alone. */
  readonly opening?: string;
  /** Started when the server is ready, stopped before it. */
  readonly companion?: (server: CompanionServer) => Promise<Companion>;
  /** Called where the command line has an option that is not the server's, or asks for `--help`. Absent: there are no more. */
  readonly moreOptions?: (server: FlagTable) => CompanionOptions;
}

export async function runProgram(
  words: readonly string[],
  { name, opening = OPENING, companion, moreOptions }: ProgramOptions = {},
): Promise<void> {
  // Else nobody would see the code that a program ends with, whose log has no room.
  outliveErrors(process.stderr);
  const standardOutput = watchStandardOutput();
  const command = commandIn(words);
  if (command !== undefined) return runCommand(command, words.slice(1));
  const seat = takeSeat(process.env);
  const options = readOptions(words, { name, opening, moreOptions });
  if (options === undefined) {
    // What leads to a supervisor would keep it alive.
    if (seat !== undefined) process.channel?.unref();
    return;
  }
  const { settings, vocabulary } = options;
  const config = seat === undefined ? options.config : ownShare(options.config, seat);
  const manner = mannerOf(config["logging-format"], {
    stdout: process.stdout.isTTY === true,
    stderr: process.stderr.isTTY === true,
  });
  const fields = seat && { worker: seat.number };
  const logger = await createLogger({ verbosity: config.v, format: manner.log, ...(fields && { fields }) });
  const safety = endOnUnknownState(logger);
  standardOutput.failed = (error) => logger.warn("standard output cannot be written", { error: error.message });
  const group = seat && new GroupMember(seat);
  const saysAll = seat === undefined || seat.isFirst;
  if (saysAll) for (const warning of [...options.warnings, ...settings.warnings]) logger.warn(warning);
  let opened: OpenedServer;
  try {
    opened = await openServer({ config, settings, vocabulary, logger, group });
  } catch (error) {
    return failFor(error, config["data-dir"]);
  }
  const { server } = opened;
  safety.contain = (error) => server.contain(error);
  if (group === undefined)
    endOnSignals({ log: logger, isEnding: () => opened.stopping, end: () => endOf(opened, logger) });
  group?.serve({
    leave: (why) => endOf(opened, logger, why),
    snapshot: () => opened.snapshot(),
    connections: () => server.movableConnections,
    shed: (count) => server.sendOn(count),
  });
  try {
    await server.listen();
    const address = config["bind-address"];
    if (!manner.greets && saysAll) logger.info("listening", { address, port: server.port, store: settings.store });
    await server.becomeReady();
    collectWhenQuiet();
    const milliseconds = Math.round(performance.now());
    if (!saysAll) logger.info("ready", { milliseconds });
    group?.ready();
    // What there is once in a group is with the first worker, whoever that is.
    if (seat !== undefined && seat.number !== 1) return;
    const greeting = opened.greeting();
    if (saysAll) greet(greeting, manner, { logger, milliseconds });
    const kubeconfig = opened.writeManagerKubeconfig();
    if (companion !== undefined) {
      const sharesStore = settings.store === "etcd";
      const { accountKeyFile, authorityFiles } = opened;
      const files = { kubeconfig, operatorKubeconfig: greeting.kubeconfig, accountKeyFile, authorityFiles };
      const publicUrl = opened.publicUrl();
      const seen = {
        ...files,
        publicUrl,
        vocabulary: vocabulary.name,
        sharesStore,
        logger,
        commandLine: options.commandLine,
      };
      opened.accompany(await companion(seen));
    }
  } catch (error) {
    if (opened.stopping) return;
    const foreseen = startFailure(error, config);
    if (foreseen === undefined) logger.error("the server cannot start", errorFields(error));
    await opened.stop().catch(() => {});
    fail([foreseen ?? (error as Error).message]);
  } finally {
    // What a start loads is loaded.
    keepGarbageYoung();
  }
}

/** What a command prints is all that it does; to a server it is a greeting. */
function watchStandardOutput(): { failed(error: Error): void } {
  const watched = { failed: (error: Error) => fail([`standard output: ${error.message}`]) };
  process.stdout.on("error", (error) => watched.failed(error));
  return watched;
}

async function runCommand(command: NonNullable<ReturnType<typeof commandIn>>, words: readonly string[]): Promise<void> {
  try {
    process.stdout.write(await runStoreCommand(command, words));
  } catch (error) {
    if (error instanceof UsageError) return fail(error.lines);
    failFor(error, "DIR");
  }
}

interface Options {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly warnings: readonly string[];
  /** See `CompanionServer`. */
  readonly commandLine: CompanionConfig;
}

/** @returns undefined when the command line asked for a text, or is wrong: the process then ends by itself */
function readOptions(
  words: readonly string[],
  {
    name,
    opening,
    moreOptions,
  }: {
    readonly name: string | undefined;
    readonly opening: string;
    readonly moreOptions: ProgramOptions["moreOptions"];
  },
): Options | undefined {
  const { parsed, table, more } = parseAll(words, moreOptions);
  const config = withDependentDefaults(parsed.config as unknown as ServerConfig, parsed.given);
  if (config.help) {
    process.stdout.write(helpText(`${opening}\n\n${COMMANDS_TEXT}`, table));
    return undefined;
  }
  if (parsed.errors.length === 0 && config.version !== "false") {
    printVersion(config, { vocabulary: vocabularyOf(config.vocabulary as VocabularyName), name });
    return undefined;
  }
  const vocabulary = vocabularyOf(VOCABULARY_NAMES.find((name) => name === config.vocabulary) ?? "orch");
  const commandLine = { config, given: parsed.given, isWhole: more !== undefined };
  const errors = [...parsed.errors];
  if (errors.length === 0) errors.push(...(more?.problems(commandLine) ?? []));
  try {
    const settings = settingsOf(config, vocabulary);
    if (errors.length === 0) return { config, settings, vocabulary, warnings: parsed.warnings, commandLine };
    fail(errors);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    fail([...errors, ...error.lines]);
  }
  return undefined;
}

/** Reads the command line by the server's options, and by further ones only where it needs them: they take long to load. */
function parseAll(words: readonly string[], moreOptions: ProgramOptions["moreOptions"]) {
  const [orch, other] = VOCABULARY_NAMES.map(vocabularyOf) as [Vocabulary, Vocabulary];
  const aliases = flagAliases(orch, other);
  const parsed = parseFlags(SERVER_FLAGS, words, aliases);
  const alone = { parsed, table: SERVER_FLAGS, more: undefined };
  if (moreOptions === undefined || (parsed.errors.length === 0 && parsed.config["help"] !== true)) return alone;
  const more = moreOptions(SERVER_FLAGS);
  const table: FlagTable = { ...more.table, ...SERVER_FLAGS };
  return { parsed: parseFlags(table, words, { ...aliases, ...more.aliases }), table, more };
}

function printVersion(
  config: ServerConfig,
  {
    vocabulary,
    name = vocabulary.programs.apiserver,
  }: { readonly vocabulary: Vocabulary; readonly name: string | undefined },
): void {
  const info = versionInfo(vocabulary, config["emulated-release"]);
  const product = `${name} v${packageVersion()} (serves the API of ${info.gitVersion})`;
  process.stdout.write(`${config.version === "raw" ? JSON.stringify(info) : product}\n`);
}

function failFor(error: unknown, dataDir: string): void {
  const { message } = error as Error;
  if (error instanceof SettingsError) fail(error.lines);
  else if (error instanceof StoreOpenError)
    fail([message, adviceOn(error.problem, dataDir)], EXIT_CODES[error.problem]);
  // Such as that of a first start, which has no certificates yet.
  else if (isForRoom(error)) fail([message, adviceOn("noRoom", dataDir)], EXIT_CODES.noRoom);
  else fail([message]);
}

/** Standard error may be a pipe: the code is set, and the process ends once all of it is written. */
function fail(lines: readonly string[], code = 1): void {
  process.stderr.write(`${lines.map((line) => `error: ${line}`).join("\n")}\n`);
  process.exitCode = code;
  setTimeout(() => process.exit(code), 1000).unref();
}

function endOf(opened: OpenedServer, logger: Logger, why?: Leaving): void {
  opened.stop(why).then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error("the server did not stop in good order", errorFields(error));
      process.exit(1);
    },
  );
}

/**
 * After an error that nobody expected, nothing is known of the process's state: another one is started in its place. Unless it is
 * known whose error it was: then that one's connection ends instead.
 */
function endOnUnknownState(logger: Logger): { contain(error: unknown): boolean } {
  const safety = { contain: (_error: unknown): boolean => false };
  const end = (kind: string) => (error: unknown) => {
    if (safety.contain(error)) return;
    logger.error(`${kind}: the process ends`, errorFields(error));
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 100);
  };
  process.on("uncaughtException", end("uncaught exception"));
  process.on("unhandledRejection", end("unhandled rejection"));
  return safety;
}
