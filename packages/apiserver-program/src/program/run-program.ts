// Runs the program: from the command line to a serving server and its shutdown.

import { createLogger, type Logger, packageVersion, startFailure, versionInfo } from "@orch/apiserver";
import { isDiskFull } from "@orch/http-server";
import { type FlagTable, helpText, parseFlags } from "@orch/machinery";
import {
  answerWatchdog,
  collectGarbageWhenIdle,
  disablePretenuring,
  type EndReason,
  endOnSignals,
  errorFields,
  GroupMember,
  ignoreStreamErrors,
  type QueueMetrics,
  reportReady,
  takeWorkerIdentity,
} from "@orch/platform";
import { VOCABULARY_NAMES, type Vocabulary, type VocabularyName, vocabularyOf } from "@orch/schema";
import {
  flagSpellings,
  gatesText,
  ownShare,
  SERVER_FLAGS,
  type ServerConfig,
  type Settings,
  SettingsError,
  servedRelease,
  settingsOf,
  withDependentDefaults,
} from "@orch/server-config";
import { StoreOpenError } from "@orch/store";
import { adviceOn, EXIT_CODES } from "./exit-codes";
import { type AuthorityFiles, type OpenedServer, openServer } from "./open-server";
import { knownServerFlags } from "./server-flags";
import { outputFormat, type StartupMessage, writeStartupMessage } from "./startup-message";
import { COMMANDS_TEXT, commandIn, runStoreCommand, UsageError } from "./store-commands";

const OPENING = `Serves the resource API over TLS, on etcd or on an embedded store.

Usage: orch-apiserver [options]

Without options, the server stores its objects in .orch, listens on 127.0.0.1, port 6443, authorizes by RBAC,
and writes .orch/admin.kubeconfig for the administrator.`;

/** A component that runs in the server's process as a client of the server. */
export interface Companion {
  stop(): Promise<void>;
}

/** The companion's view of the server. */
export interface CompanionServer {
  /** Kubeconfig of the companion; undefined when the server has no authority of its own, or the disk is full. */
  readonly kubeconfig: string | undefined;
  /** Kubeconfig of the operator; undefined when `kubeconfig` is. */
  readonly operatorKubeconfig: string | undefined;
  /** URL for clients on other machines. */
  readonly publicUrl: string;
  readonly vocabulary: VocabularyName;
  /** File with the private key that signs service account tokens in Secrets; undefined when there is none. */
  readonly accountKeyFile: string | undefined;
  /** Authority for client certificates; undefined when the server has none of its own. */
  readonly authorityFiles: AuthorityFiles | undefined;
  /** Whether other servers may serve the same objects. */
  readonly sharesStore: boolean;
  readonly logger: Logger;
  /** Returns metrics of the server for a work queue of the companion. */
  readonly queueMetrics: (queue: string) => QueueMetrics;
  readonly commandLine: CompanionConfig;
}

export interface CompanionConfig {
  /** Options of the server, and with `isWhole` those of the companion. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Names of the options that were set. */
  readonly given: ReadonlySet<string>;
  /** False when the command line has none of the companion's own options. */
  readonly isWhole: boolean;
}

/** Options that a program adds to those of the server. */
interface CompanionOptions {
  readonly table: FlagTable;
  readonly aliases: Readonly<Record<string, string>>;
  /** @returns the faults of the options, one line each */
  problems(commandLine: CompanionConfig): readonly string[];
}

export interface ReadyServer {
  /** URL for clients on this machine. */
  readonly url: string;
  /** Kubeconfig of the operator; undefined when the server has no authority of its own, or the disk is full. */
  readonly kubeconfig: string | undefined;
  /** See `CompanionServer`. */
  readonly authorityFiles: AuthorityFiles | undefined;
}

export type ReadyTexts = Partial<Pick<StartupMessage, "notes" | "tries">>;

export interface ProgramOptions {
  /** Name of the program in `--version`. Default: the API server's name in the vocabulary. */
  readonly name?: string;
  /** First lines of `--help`: what the program is and how to call it. Default: those of the API server. */
  readonly opening?: string;
  /** Warnings of the program about its command line, which are logged with those of the server. */
  readonly warnings?: readonly string[];
  /** Called when the server is ready, in one process of it. @returns additions to the startup message */
  readonly ready?: (server: ReadyServer) => ReadyTexts;
  /** Started when the server is ready, stopped before it. */
  readonly companion?: (server: CompanionServer) => Promise<Companion>;
  /**
   * Called when the command line has an option that the server does not know, or `--help`. Absent: there are no more
   * options.
   */
  readonly moreOptions?: (server: FlagTable) => CompanionOptions;
}

export async function runProgram(
  words: readonly string[],
  { name, opening = OPENING, warnings = [], ready, companion, moreOptions }: ProgramOptions = {},
): Promise<void> {
  // Otherwise the exit code of a program whose log has no room would be lost.
  ignoreStreamErrors(process.stderr);
  const standardOutput = watchStandardOutput();
  const command = commandIn(words);
  if (command !== undefined) return runCommand(command, words.slice(1));
  const identity = takeWorkerIdentity(process.env);
  const options = readOptions(words, { name, opening, moreOptions });
  if (options === undefined) {
    // The channel to the supervisor must not keep the process alive.
    if (identity !== undefined) process.channel?.unref();
    return;
  }
  const { settings, vocabulary } = options;
  const config = identity === undefined ? options.config : ownShare(options.config, identity);
  const format = outputFormat(config["logging-format"], {
    stdout: process.stdout.isTTY === true,
    stderr: process.stderr.isTTY === true,
  });
  const fields = identity && { worker: identity.number };
  const logger = await createLogger({ verbosity: config.v, format: format.log, ...(fields && { fields }) });
  const safety = endOnUnknownState(logger);
  standardOutput.failed = (error) => logger.warn("cannot write to standard output", { error: error.message });
  const group = identity && new GroupMember(identity);
  const saysAll = identity === undefined || identity.isFirst;
  if (saysAll) for (const warning of [...warnings, ...options.warnings, ...settings.warnings]) logger.warn(warning);
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
  // The supervisor of workers reports for them.
  if (group === undefined) answerWatchdog();
  group?.serve({
    leave: (why) => endOf(opened, logger, why),
    snapshot: () => opened.snapshot(),
    connections: () => server.movableConnections,
    shed: (count) => server.sendOn(count),
  });
  try {
    await server.listen();
    const address = config["bind-address"];
    if (!format.printsMessage && saysAll)
      logger.info("listening", { address, port: server.port, store: settings.store });
    await server.becomeReady();
    collectGarbageWhenIdle();
    const milliseconds = Math.round(performance.now());
    if (!saysAll) logger.info("ready", { milliseconds });
    if (group === undefined) reportReady();
    else group.ready();
    // Companions run once per group, with the first worker.
    if (identity !== undefined && identity.number !== 1) return;
    opened.startBackups();
    const { accountKeyFile, authorityFiles } = opened;
    const startupMessage = opened.startupMessage();
    const { url, kubeconfig: operatorKubeconfig } = startupMessage;
    const texts = ready?.({ url, kubeconfig: operatorKubeconfig, authorityFiles });
    if (saysAll) writeStartupMessage({ ...startupMessage, ...texts }, format, { logger, milliseconds });
    const kubeconfig = opened.writeManagerKubeconfig();
    if (companion !== undefined) {
      const sharesStore = settings.store === "etcd";
      const files = { kubeconfig, operatorKubeconfig, accountKeyFile, authorityFiles };
      const publicUrl = opened.publicUrl();
      const seen = {
        ...files,
        publicUrl,
        vocabulary: vocabulary.name,
        sharesStore,
        logger,
        queueMetrics: opened.queueMetrics,
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
    // Start-up allocations are over.
    disablePretenuring();
  }
}

/**
 * Watches for failures of standard output: fatal for a command, whose output is its only result; not for the startup
 * message of a server.
 */
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

/** @returns undefined when the command line asks for a text or is wrong: the process then exits by itself */
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
    process.stdout.write(
      `${helpText(`${opening}\n\n${COMMANDS_TEXT}`, spelled(table, config.vocabulary))}\n${gatesText()}`,
    );
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

/**
 * Parses the command line with the server's options first, and loads further options only when needed, because that is
 * slow.
 */
function parseAll(words: readonly string[], moreOptions: ProgramOptions["moreOptions"]) {
  const { aliases } = knownServerFlags();
  const parsed = parseFlags(SERVER_FLAGS, words, aliases);
  const alone = { parsed, table: SERVER_FLAGS, more: undefined };
  if (moreOptions === undefined || (parsed.errors.length === 0 && parsed.config["help"] !== true)) return alone;
  const more = moreOptions(SERVER_FLAGS);
  const table: FlagTable = { ...more.table, ...SERVER_FLAGS };
  return { parsed: parseFlags(table, words, { ...aliases, ...more.aliases }), table, more };
}

/** Returns the options under the names that the vocabulary has for them. */
function spelled(table: FlagTable, vocabulary: string): FlagTable {
  if (vocabulary !== "kubernetes") return table;
  const spellings = flagSpellings(vocabularyOf(vocabulary));
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [spellings[name] ?? name, row]));
}

function printVersion(
  config: ServerConfig,
  {
    vocabulary,
    name = vocabulary.programs.apiserver,
  }: { readonly vocabulary: Vocabulary; readonly name: string | undefined },
): void {
  const info = versionInfo(vocabulary, servedRelease(config, vocabulary));
  const commit = commitText(info.gitCommit);
  const product = `${name} v${packageVersion()} (serves the API of ${info.gitVersion}${commit})`;
  process.stdout.write(`${config.version === "raw" ? JSON.stringify(info) : product}\n`);
}

/** Returns the abbreviated commit; nothing for a build whose commit is unknown. */
const commitText = (commit: string): string => (/^[0-9a-f]{7,}$/.test(commit) ? `, commit ${commit.slice(0, 12)}` : "");

function failFor(error: unknown, dataDir: string): void {
  const { message } = error as Error;
  if (error instanceof SettingsError) fail(error.lines);
  else if (error instanceof StoreOpenError)
    fail([message, adviceOn(error.problem, dataDir)], EXIT_CODES[error.problem]);
  // A first start, for example, must write certificates.
  else if (isDiskFull(error)) fail([message, adviceOn("noRoom", dataDir)], EXIT_CODES.noRoom);
  else fail([message]);
}

/** Standard error may be a pipe: the code is set, and the process ends once all of it is written. */
function fail(lines: readonly string[], code = 1): void {
  process.stderr.write(`${lines.map((line) => `error: ${line}`).join("\n")}\n`);
  process.exitCode = code;
  setTimeout(() => process.exit(code), 1000).unref();
}

function endOf(opened: OpenedServer, logger: Logger, why?: EndReason): void {
  opened.stop(why).then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error("the server did not stop cleanly", errorFields(error));
      process.exit(1);
    },
  );
}

/**
 * Ends the process after an unexpected error, because its state is unknown; a supervisor starts another one. When the
 * error belongs to one connection, only that connection ends.
 */
function endOnUnknownState(logger: Logger): { contain(error: unknown): boolean } {
  const safety = { contain: (_error: unknown): boolean => false };
  const end = (kind: string) => (error: unknown) => {
    if (safety.contain(error)) return;
    logger.error(`${kind}: the process exits`, errorFields(error));
    process.exitCode = 1;
    setTimeout(() => process.exit(1), 100);
  };
  process.on("uncaughtException", end("uncaught exception"));
  process.on("unhandledRejection", end("unhandled rejection"));
  return safety;
}
