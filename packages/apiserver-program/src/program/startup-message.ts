// The first output of the program, for a person or a program: where it serves, which file has the operator's
// credentials, and commands to try.
import type { Logger } from "@orch/apiserver";

export interface StartupMessage {
  readonly url: string;
  /** Path of the operator's kubeconfig; undefined when the server has no authority of its own, or the disk is full. */
  readonly kubeconfig: string | undefined;
  readonly explorer: ExplorerLink | undefined;
  /** Further lines, such as where else the credentials were written. */
  readonly notes?: readonly string[];
  /** Commands that use these credentials. */
  readonly tries: readonly string[];
}

export interface ExplorerLink {
  /** Page that the link opens. */
  readonly page: "Console" | "Explorer";
  /** Contains the token: only for the operator's terminal, never for a log. */
  readonly link: string;
  /** File with the link, readable by the operator only; undefined when the disk is full. */
  readonly file: string | undefined;
}

/** Output format of the program. */
export interface OutputFormat {
  /** Format of log lines on standard error. */
  readonly log: "json" | "text";
  /** Whether the startup message is text on standard output; otherwise it is a log line. */
  readonly printsMessage: boolean;
  /** Whether standard output is a terminal, which nothing records. */
  readonly showsSecrets: boolean;
}

export interface Terminals {
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/** @param format value of `--logging-format` */
export function outputFormat(format: string, terminals: Terminals): OutputFormat {
  switch (format) {
    case "json":
      return { log: "json", printsMessage: false, showsSecrets: false };
    case "text":
      return { log: "text", printsMessage: true, showsSecrets: terminals.stdout };
    default:
      return {
        log: terminals.stderr ? "text" : "json",
        printsMessage: terminals.stdout,
        showsSecrets: terminals.stdout,
      };
  }
}

export function writeStartupMessage(
  startupMessage: StartupMessage,
  format: OutputFormat,
  { logger, milliseconds }: StartupMessageDeps,
): void {
  if (format.printsMessage) {
    process.stdout.write(startupText(startupMessage, format.showsSecrets));
    return;
  }
  const { url, kubeconfig, explorer, notes, tries } = startupMessage;
  logger.info("ready", { milliseconds, url, kubeconfig, explorer: explorer?.file, notes, try: tries });
}

interface StartupMessageDeps {
  readonly logger: Logger;
  /** Time since the process started. */
  readonly milliseconds: number;
}

function startupText({ url, kubeconfig, explorer, notes = [], tries }: StartupMessage, showsSecrets: boolean): string {
  const lines = [`Serving on ${url}`];
  if (kubeconfig !== undefined) lines.push(`Client configuration of the administrator: ${kubeconfig}`);
  if (explorer !== undefined && (showsSecrets || explorer.file !== undefined)) {
    const link = showsSecrets ? explorer.link : `the link in ${explorer.file}`;
    lines.push(`${explorer.page}, in a browser on this machine until the server stops: ${link}`);
  }
  lines.push(...notes);
  if (tries.length > 0) lines.push("", "Try:", ...tries.map((command) => `  ${command}`));
  return `${lines.join("\n")}\n\n`;
}
