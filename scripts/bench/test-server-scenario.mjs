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
/**
 * Options of V8 without which the memory also shows how much code is compiled: resets make about 600 functions hot, whose
 * optimized code takes 2 to 3 MiB, and code that has not run for a while is dropped.
 */
const CONSTANT_CODE = ["--no-opt", "--no-flush-bytecode"];

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
      const run = (word, options = []) =>
        JSON.parse(
          execFileSync(process.execPath, ["--expose-gc", ...options, PROGRAM, word], {
            cwd: project,
            encoding: "utf8",
          }),
        );
      const [first, ...later] = Array.from({ length: RUNS + 1 }, () => run("starts"));
      const many = run("many");
      const [growth, ofData] = [run("growth"), run("growth", CONSTANT_CODE)];
      const of = (name) => median(later.map((figures) => figures[name]));
      return {
        ours: { milliseconds: of("coldMs"), secondMilliseconds: of("warmMs") },
        notes: [
          `the first process ${first.coldMs.toFixed(0)} ms, without compiled code; later ones ${of("coldMs").toFixed(0)} ms`,
          `a warm start to the first answer ${of("warmMs").toFixed(0)} ms, a stop ${of("stopMs").toFixed(0)} ms`,
          `a reset after ten changes ${of("resetMs").toFixed(1)} ms`,
          `${many.servers} servers in one process: ${many.mebibytesEach.toFixed(1)} MiB each beyond the first`,
          `heap and buffers after ${growthText(growth)}`,
          `without optimized code after ${growthText(ofData)}`,
        ],
      };
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  },
};

/** @returns for each number of resets the memory, and how much more it is than at first */
function growthText(sizes) {
  const [first] = sizes;
  return sizes
    .map(({ resets, mebibytes }) => {
      const more = (100 * (mebibytes / first.mebibytes - 1)).toFixed(1);
      return `${resets} resets ${mebibytes.toFixed(1)} MiB (${more} %)`;
    })
    .join(", ");
}
