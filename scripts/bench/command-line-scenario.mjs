// Time of `orch get` from the start of the process to the first byte of its output, in turns with kubectl's own time on
// the same server. Both have their discovery documents on disk, as they have from the second call on.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./in-turns.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** Another build: `ORCH=/path/to/bin/orch`, such as that of a release, which has a run time of its own. */
const ORCH = process.env.ORCH === undefined ? [process.execPath, at("packages/cli/bin/orch.js")] : [process.env.ORCH];
/** Another program: `KUBECTL=/path/to/kubectl make bench SCENARIO=command-line`. */
const KUBECTL = process.env.KUBECTL ?? at(".tools/bin/kubectl");
const RUNS = 15;
const MOST_MS = 150;

export const commandLineScenario = {
  onDemand: true,
  async run(bench) {
    const home = mkdtempSync(join(tmpdir(), "orch-line-"));
    try {
      const { target } = await bench.startServer(["--vocabulary=kubernetes"]);
      const options = optionsOf(home, target);
      const programs = { orch: ORCH, node: [process.execPath, "-e", "process.stdout.write('.')"] };
      if (existsSync(KUBECTL)) programs.kubectl = [KUBECTL];
      const times = Object.fromEntries(Object.keys(programs).map((name) => [name, []]));
      for (let run = -2; run < RUNS; run += 1) {
        for (const [name, command] of Object.entries(programs)) {
          const words = name === "node" ? [] : ["get", "namespaces", ...options];
          const ms = await firstOutputMs([...command, ...words], home);
          if (run >= 0) times[name].push(ms);
        }
      }
      const text = (ms) =>
        `${median(ms).toFixed(0)} ms (${Math.min(...ms).toFixed(0)} to ${Math.max(...ms).toFixed(0)})`;
      const milliseconds = median(times.orch);
      return {
        ours: { milliseconds },
        notes: [
          ...Object.entries(times).map(
            ([name, ms]) => `${name === "node" ? "Node.js alone" : `${name} get namespaces`}: ${text(ms)}`,
          ),
          `first output ${milliseconds <= MOST_MS ? "within" : "beyond"} ${MOST_MS} ms`,
        ],
      };
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};

function optionsOf(home, { port, ca, cert, key }) {
  const file = (name, text) => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  return [
    `--server=https://127.0.0.1:${port}`,
    `--certificate-authority=${file("ca.crt", ca)}`,
    `--client-certificate=${file("admin.crt", cert)}`,
    `--client-key=${file("admin.key", key)}`,
    `--kubeconfig=${file("config", "apiVersion: v1\nkind: Config\n")}`,
  ];
}

function firstOutputMs([program, ...args], home) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(program, args, {
      env: { HOME: home, PATH: process.env.PATH },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let first;
    let errors = "";
    child.stdout.on("data", () => {
      first ??= performance.now() - startedAt;
    });
    child.stderr.on("data", (text) => {
      errors += text;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0 && first !== undefined) resolve(first);
      else reject(new Error(`${program} ${args.join(" ")} ended with ${code}: ${errors}`));
    });
  });
}
