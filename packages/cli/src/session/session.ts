// Everything that a command works with: streams, options, the client of the chosen server and its resources. Each part is
// made when it is first needed.
import { Client, type ClientOptions, type ConnectionSettings } from "@orch/client";
import { parseGoDuration } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import { vocabularyOf } from "@orch/schema";
import { connectionOf } from "../connection/connection";
import { visibleLines } from "../output/columns";
import { CliError } from "../process/cli-error";
import type { GlobalOptions } from "../process/global-options";
import { type Io, mayColor } from "../process/io";
import { PROGRAM_VERSION } from "../process/program-version";
import { requestLog } from "../process/request-log";
import { Catalog } from "../resources/catalog";

const VERBOSE = 6;
/** Requests of the command line have no timeout of their own, as those of kubectl. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export class Session {
  /** Code with which the process ends when no error is thrown. */
  exitCode = 0;
  /** Part of the command that reads standard input, which a credential plugin then cannot ask on. */
  stdinTakenBy: string | undefined;
  private serverWarnings = 0;
  private settings: ConnectionSettings | undefined;
  private known: Promise<Catalog> | undefined;
  private readonly opened: { close(): void }[] = [];
  private readonly warned = new Set<string>();

  /** @param readOptions returns the global options, once the command line is parsed */
  constructor(
    readonly io: Io,
    private readonly readOptions: () => GlobalOptions,
    readonly signal: AbortSignal,
  ) {}

  get options(): GlobalOptions {
    return this.readOptions();
  }

  /** The server and the user. @throws ConfigurationError, CliError */
  get connection(): ConnectionSettings {
    this.settings ??= connectionOf(this.options, this.io.environment);
    return this.settings;
  }

  /** Namespace of requests that name none. */
  get namespace(): string {
    return this.connection.namespace;
  }

  /** Returns the resources of the server, whose client speaks its vocabulary. */
  catalog(): Promise<Catalog> {
    this.known ??= Catalog.open({
      connection: this.connection,
      options: this.options,
      io: this.io,
      warn: (text) => this.warn(text),
      clientFor: (vocabulary) => this.newClient({ vocabulary }),
    });
    return this.known;
  }

  async client(): Promise<Client> {
    return (await this.catalog()).client;
  }

  async vocabulary(): Promise<Vocabulary> {
    return vocabularyOf((await this.client()).vocabulary);
  }

  /** Makes another client of the same server, such as one without credentials. Closed with the session. */
  newClient(more: Partial<ClientOptions> = {}): Client {
    const client = new Client({
      connection: more.connection ?? this.connection,
      program: "orch",
      programVersion: PROGRAM_VERSION,
      rateLimit: { perSecond: 0, burst: 0 },
      timeoutMs: this.requestTimeoutMs() ?? NO_TIMEOUT_MS,
      // Few requests gain nothing from HTTP/2, whose code takes a tenth of the start to load.
      http2: false,
      environment: this.io.environment,
      stdinTakenBy: this.stdinTakenBy,
      onWarning: (text) => {
        this.serverWarnings += 1;
        this.warn(text);
      },
      ...((this.options.verbosity ?? 0) >= VERBOSE && { metrics: requestLog(this.io) }),
      ...more,
    });
    this.closeLater(client);
    return client;
  }

  /** Writes to standard output. */
  write(text: string): void {
    this.io.stdout.write(text);
  }

  /** Writes a line to standard error. Texts of servers are in many lines: control characters are made visible. */
  tell(line: string): void {
    this.io.stderr.write(`${visibleLines(line)}\n`);
  }

  /** Writes a warning to standard error, once in a process. */
  warn(text: string): void {
    if (this.warned.has(text)) return;
    this.warned.add(text);
    const word = mayColor(this.io.stderr, this.io) ? "\u001b[33;1mWarning:\u001b[0m" : "Warning:";
    this.io.stderr.write(`${word} ${visibleLines(text)}\n`);
  }

  /** Fails a command whose server has warned, if that was asked for. @throws CliError */
  endWarnings(): void {
    const count = this.serverWarnings;
    if (this.options.warningsAsErrors !== true || count === 0) return;
    throw new CliError(`${count} warning${count === 1 ? "" : "s"} received`);
  }

  /** Registers what is closed with the session. Open connections would keep the process alive. */
  closeLater(part: { close(): void }): void {
    this.opened.push(part);
  }

  close(): void {
    for (const part of this.opened) part.close();
  }

  /** Returns the time of --request-timeout, if there is one. @throws CliError */
  requestTimeoutMs(): number | undefined {
    const { requestTimeout } = this.options;
    if (requestTimeout === undefined || requestTimeout === "0") return undefined;
    const ms = /^\d+$/.test(requestTimeout) ? Number(requestTimeout) * 1000 : parseGoDuration(requestTimeout);
    if (ms === undefined || ms < 0) {
      throw new CliError(
        `Invalid timeout value. --request-timeout: ${JSON.stringify(requestTimeout)} is not a duration, such as 10s or 2m`,
      );
    }
    return ms === 0 ? undefined : ms;
  }
}
