// A terminal in which a program runs as a person sees it: tmux keeps the screen, and sends the keys that a test types.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "./eventually";
import { ORCH_PROGRAM, type Orch } from "./orch";
import { tool, type Workplace } from "./processes";

export interface TerminalOptions {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
}

/** Keys with a name, as tmux knows them. */
export type Key = "Enter" | "Escape" | "Tab" | "BSpace" | "Up" | "Down" | "Left" | "Right" | "C-c" | "C-d";

const PANE = "0:0.0";
const CONFIGURATION = [
  "set -g status off",
  "set -g history-limit 10000",
  "set -g default-terminal screen-256color",
  "",
];
/** Runs the command, writes its exit code to the file `$0` and leaves the screen as it is. */
const KEEP_SCREEN = 'trap : INT; "$@"; echo $? > "$0"; while :; do sleep 1000; done';

export class Terminal {
  private readonly socket: string;
  /** File of the exit code. */
  private readonly end: string;

  private constructor(private readonly folder: string) {
    this.socket = join(folder, "s");
    this.end = join(folder, "end");
  }

  /** Starts a command. The terminal is closed with the test file, or by `close`. */
  static async start(workplace: Workplace, options: TerminalOptions): Promise<Terminal> {
    const { command, env = {}, cwd, columns = 100, rows = 30 } = options;
    const folder = workplace.folder();
    const configuration = join(folder, "tmux.conf");
    writeFileSync(configuration, CONFIGURATION.join("\n"));
    const terminal = new Terminal(folder);
    const environment = { LANG: "C.UTF-8", HOME: folder, ...env };
    await terminal.tmux([
      "-u",
      "-f",
      configuration,
      "new-session",
      "-d",
      "-x",
      String(columns),
      "-y",
      String(rows),
      "-c",
      cwd ?? folder,
      "env",
      ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      "sh",
      "-c",
      KEEP_SCREEN,
      terminal.end,
      ...command,
    ]);
    workplace.atEnd(() => terminal.kill());
    return terminal;
  }

  /** Starts the command `orch`. */
  static orch(workplace: Workplace, { of }: Orch, args: readonly string[], more: Partial<TerminalOptions> = {}) {
    const { home, options = [], env = {} } = of;
    return Terminal.start(workplace, {
      command: [process.execPath, ORCH_PROGRAM, ...options, ...args],
      cwd: home,
      ...more,
      env: { HOME: home, ...env, ...more.env },
    });
  }

  /** Returns the lines of the screen, without blanks and empty lines at their ends. */
  async screen(): Promise<string> {
    return trimmed(await this.tmux(["capture-pane", "-p", "-t", PANE]));
  }

  /** Returns the screen with the escape sequences of its colors. */
  async colors(): Promise<string> {
    return trimmed(await this.tmux(["capture-pane", "-e", "-p", "-t", PANE]));
  }

  /** Returns the screen and the lines that have left it. */
  async everything(): Promise<string> {
    return trimmed(await this.tmux(["capture-pane", "-p", "-S", "-", "-t", PANE]));
  }

  /** Waits until the screen matches. @returns the screen @throws Error with the last screen */
  async until(pattern: RegExp, timeoutMs = 15_000): Promise<string> {
    let last = "";
    try {
      return await eventually(
        String(pattern),
        async () => {
          last = await this.screen();
          return pattern.test(last) ? last : undefined;
        },
        { timeoutMs, pauseMs: 50 },
      );
    } catch (error) {
      throw new Error(`${(error as Error).message}; the screen shows:\n${last}`);
    }
  }

  /** Types a text as it is. */
  async type(text: string): Promise<void> {
    await this.tmux(["send-keys", "-t", PANE, "-l", "--", text]);
  }

  async press(...keys: readonly Key[]): Promise<void> {
    await this.tmux(["send-keys", "-t", PANE, ...keys]);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.tmux(["resize-window", "-t", "0:0", "-x", String(columns), "-y", String(rows)]);
  }

  /** Waits for the end of the command. @returns its exit code */
  async ended(timeoutMs = 15_000): Promise<number> {
    const text = await eventually(
      "the end of the command",
      async () => (existsSync(this.end) && readFileSync(this.end, "utf8")) || undefined,
      { timeoutMs, pauseMs: 50 },
    );
    return Number(text);
  }

  async close(): Promise<void> {
    await this.tmux(["kill-server"]).catch(() => undefined);
  }

  private kill(): void {
    try {
      execFileSync(tool("tmux"), ["-S", this.socket, "kill-server"], { stdio: "ignore" });
    } catch {
      // The terminal is closed already.
    }
  }

  private async tmux(args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(tool("tmux"), ["-S", this.socket, ...args], { cwd: this.folder });
    return stdout;
  }
}

const trimmed = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
