// The test server, installed from its tarball into a project of its own: cold and warm starts, resets, stops, and the
// memory of many servers in one process.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { median } from "./in-turns.mjs";

const RUNS = 7;
const PROGRAM = "test-server-project.cjs";

export const testServerScenario = {
  fresh: false,
  onDemand: true,
  async run() {
    const project = mkdtempSync(join(tmpdir(), "test-server-bench-"));
    try {
      const bundle = fileURLToPath(new URL("../bundle-test-server.mjs", import.meta.url));
      const tarball = execFileSync(process.execPath, [bundle, project], { encoding: "utf8" }).trim();
      writeFileSync(join(project, "package.json"), JSON.stringify({ private: true }));
      execFileSync("npm", ["install", "--offline", "--silent", tarball], { cwd: project });
      copyFileSync(new URL(PROGRAM, import.meta.url), join(project, PROGRAM));
      const run = (...words) =>
        JSON.parse(
          execFileSync(process.execPath, ["--expose-gc", PROGRAM, ...words], { cwd: project, encoding: "utf8" }),
        );
      const [first, ...later] = Array.from({ length: RUNS + 1 }, () => run("starts"));
      const many = run("many");
      const of = (name) => median(later.map((figures) => figures[name]));
      return {
        ours: { milliseconds: of("coldMs"), secondMilliseconds: of("warmMs") },
        notes: [
          `the first process ${first.coldMs.toFixed(0)} ms, without compiled code; later ones ${of("coldMs").toFixed(0)} ms`,
          `a warm start to the first answer ${of("warmMs").toFixed(0)} ms, a stop ${of("stopMs").toFixed(0)} ms`,
          `a reset after ten changes ${of("resetMs").toFixed(1)} ms`,
          `${many.servers} servers in one process: ${many.mebibytesEach.toFixed(1)} MiB each beyond the first`,
          `after 10 resets ${many.fewMebibytes.toFixed(1)} MiB of heap and buffers, after 1000 ${many.manyMebibytes.toFixed(1)} MiB`,
        ],
      };
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  },
};
