// What the program says first, to a person or to a program: where it serves, which file has the operator's credentials, what to try.
import type { Logger } from "../logging/logger";

export interface Greeting {
  readonly url: string;
  /** Path of the operator's client configuration; undefined where the server has no authority to make one, or no room. */
  readonly kubeconfig: string | undefined;
  readonly explorer: ExplorerLink | undefined;
  /** Command lines, with those credentials. */
  readonly tries: readonly string[];
}

export interface ExplorerLink {
  /** With the token: for the operator's eyes, and for nothing that is kept. */
  readonly link: string;
  /** Where it is written, for the operator alone; undefined where the disk was full. */
  readonly file: string | undefined;
}

/** How the program speaks. */
export interface Manner {
  /** Of log lines, on standard error. */
  readonly log: "json" | "text";
  /** Whether the greeting is a text, on standard output; else a line of the log. */
  readonly greets: boolean;
  /** Whether a person reads standard output as it is written, and nothing keeps it. */
  readonly showsSecrets: boolean;
}

export interface Terminals {
  readonly stdout: boolean;
  readonly stderr: boolean;
}

/** @param format `--logging-format` */
export function mannerOf(format: string, terminals: Terminals): Manner {
  switch (format) {
    case "json":
      return { log: "json", greets: false, showsSecrets: false };
    case "text":
      return { log: "text", greets: true, showsSecrets: terminals.stdout };
    default:
      return {
        log: terminals.stderr ? "text" : "json",
        greets: terminals.stdout,
        showsSecrets: terminals.stdout,
      };
  }
}

export function greet(greeting: Greeting, manner: Manner, { logger, milliseconds }: GreetingDeps): void {
  if (manner.greets) {
    process.stdout.write(greetingText(greeting, manner.showsSecrets));
    return;
  }
  const { url, kubeconfig, explorer, tries } = greeting;
  logger.info("ready", { milliseconds, url, kubeconfig, explorer: explorer?.file, try: tries });
}

interface GreetingDeps {
  readonly logger: Logger;
  /** Since the process began. */
  readonly milliseconds: number;
}

function greetingText({ url, kubeconfig, explorer, tries }: Greeting, showsSecrets: boolean): string {
  const lines = [`Serving on ${url}`];
  if (kubeconfig !== undefined) lines.push(`The operator's client configuration: ${kubeconfig}`);
  if (explorer !== undefined && (showsSecrets || explorer.file !== undefined)) {
    const link = showsSecrets ? explorer.link : `the link in ${explorer.file}`;
    lines.push(`In a browser on this machine, until the server ends: ${link}`);
  }
  if (tries.length > 0) lines.push("", "Try:", ...tries.map((command) => `  ${command}`));
  return `${lines.join("\n")}\n\n`;
}
