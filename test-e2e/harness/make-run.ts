// The program of `make run`: the server and all controllers in one process, with the options of the Makefile.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "./eventually";
import { freePort } from "./free-port";
import type { Printed } from "./kubectl";
import type { MachineDate } from "./machine-date";
import { type Program, repository, tool, type Workplace } from "./processes";

const MAIN = join(repository, "packages/standalone/dist/main.js");
const TIMEOUT_MS = 60_000;

export class MakeRun {
  private constructor(
    readonly program: Program,
    /** Directory of its files. */
    readonly folder: string,
    readonly url: string,
  ) {}

  /**
   * Resolves when the controllers run.
   * @param flags after those of the Makefile, so that they take precedence; absent: the Kubernetes vocabulary
   */
  static async start(
    workplace: Workplace,
    name: string,
    flags: readonly string[] = [],
    date?: MachineDate,
  ): Promise<MakeRun> {
    const folder = workplace.folder();
    const port = await freePort();
    const places = [`--secure-port=${port}`, `--data-dir=${folder}`, "--store=memory", "--vocabulary=kubernetes"];
    const words = [process.execPath, MAIN, ...ownFlags(), ...places, ...flags];
    const [command = "", ...args] = date === undefined ? words : [date.command, ...words];
    const program = workplace.start({ name, program: command, args, ...(date && { env: date.env }) });
    await eventually(
      `${name} has begun`,
      async () => {
        if (!program.running) throw new Error(`it ended:\n${program.logTail}`);
        return program.logTail.includes("starting the controllers");
      },
      { timeoutMs: TIMEOUT_MS },
    );
    return new MakeRun(program, folder, `https://127.0.0.1:${port}`);
  }

  async try(...args: readonly string[]): Promise<Printed> {
    const how = { cwd: repository, timeout: TIMEOUT_MS, env: { HOME: this.folder, PATH: process.env["PATH"] ?? "" } };
    const all = [`--kubeconfig=${join(this.folder, "admin.kubeconfig")}`, ...args];
    try {
      return { ...(await promisify(execFile)(tool("kubectl"), all, how)), code: 0 };
    } catch (error) {
      return error as Printed;
    }
  }

  /** Runs kubectl and returns standard output. @throws Error with standard error when it fails */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { stdout, stderr, code } = await this.try(...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  }

  async json<Shape>(...args: readonly string[]): Promise<Shape> {
    return JSON.parse(await this.kubectl(...args, "--output=json")) as Shape;
  }
}

function ownFlags(): readonly string[] {
  const recipe = /packages\/standalone\/dist\/main\.js (.*) \$\(ARGS\)/.exec(
    readFileSync(join(repository, "Makefile"), "utf8"),
  );
  if (recipe?.[1] === undefined) throw new Error("the Makefile does not say how the program is started");
  return recipe[1].split(" ");
}
