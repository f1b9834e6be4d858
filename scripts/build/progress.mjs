// Reports the current step of a build and its progress on standard error. On a terminal the report is a single line
// that is updated; elsewhere each report is a new line.
import { spawn } from "node:child_process";

const LINE_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 500;

export class Progress {
  /** @param total number of steps */
  constructor(total) {
    this.total = total;
    this.step = 0;
    this.begunMs = performance.now();
  }

  /**
   * Runs one step.
   * @param how `command`: program and arguments; `follow`: receives each output line; `state`: returns progress text
   * @throws Error with the output of the command when it fails
   */
  async run(name, { command: [program, ...words], follow, state = () => "" }) {
    this.step += 1;
    const begun = performance.now();
    const text = () => {
      const far = state();
      return `[${this.step}/${this.total}] ${name}${far === "" ? "" : `: ${far}`}`;
    };
    this.say(text());
    let told = begun;
    const timer = setInterval(() => {
      const now = performance.now();
      if (!process.stderr.isTTY && now - told < LINE_EVERY_MS) return;
      told = now;
      this.say(`${text()} (${Math.round((now - begun) / 1000)} s)`);
    }, LOOK_EVERY_MS);
    try {
      await outputOf(program, words, follow);
    } finally {
      clearInterval(timer);
    }
  }

  end() {
    this.say(`Built in ${((performance.now() - this.begunMs) / 1000).toFixed(1)} s`);
    if (process.stderr.isTTY) process.stderr.write("\n");
  }

  say(text) {
    process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
  }
}

function outputOf(program, words, follow) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    let line = "";
    const take = (bytes) => {
      output += bytes;
      const lines = (line + bytes).split("\n");
      line = lines.pop();
      for (const each of lines) follow?.(each);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(output.trimEnd()))));
  });
}
