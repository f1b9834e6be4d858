// The code blocks of README.md, and of pages with the environment `copy`, work as written in a fresh copy of the
// repository. docs/README.md describes how they are run.
import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "@jest/globals";
import { environmentOf, PAGES, pageAt } from "./harness/documents";
import { runPage } from "./harness/page-run";
import { repository, tool, useWorkplace } from "./harness/processes";

const INSTALL_AND_BUILD_MS = 240_000;

/** Clears what `make test ARGS=…` passes to nested makes, which a reader does not have. */
const NO_MAKE = { MAKEFLAGS: "", MAKEOVERRIDES: "", MAKELEVEL: "", ARGS: "" };

const PROGRAMS = ["orch-apiserver", "orch-controller-manager", "orch-standalone"];
const OWN_PACKAGES = ["@orch/apiserver-program", "@orch/controllers", "@orch/standalone"];

const workplace = useWorkplace();
let copy: string;

beforeAll(() => {
  copy = workplace.folder();
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const files = execFileSync("git", list, { cwd: repository }).toString().split("\0");
  const present = files.filter((file) => file !== "" && existsSync(join(repository, file))); // one may be deleted and not committed yet
  execFileSync("xargs", ["-0", "cp", "--parents", "-t", copy], { cwd: repository, input: present.join("\0") });
  // The state after a first `make`; the installation itself is covered when the suite runs in a new clone.
  const own = readdirSync(join(repository, "packages")).map((name) => `packages/${name}/node_modules`);
  const folders = ["node_modules", ...own].filter((path) => existsSync(join(repository, path)));
  execFileSync("cp", ["--archive", "--link", "--parents", ...folders, copy], { cwd: repository });
  // npm links the repository's programs again, as after a clone: their build outputs do not exist yet.
  for (const program of PROGRAMS) rmSync(join(copy, "node_modules/.bin", program), { force: true });
  execFileSync("npm", ["rebuild", "--ignore-scripts", ...OWN_PACKAGES], { cwd: copy, stdio: "ignore" });
}, 60_000);

async function type(commands: string, timeout = 60_000): Promise<string> {
  const path = `${join(tool("kubectl"), "..")}:${process.env["PATH"]}`;
  const script = `set -euo pipefail\n${commands}`;
  const done = await promisify(execFile)("bash", ["-c", script], {
    cwd: copy,
    env: { ...process.env, ...NO_MAKE, PATH: path },
    timeout,
  });
  return done.stdout;
}

test("a program that is not built yet says what to do", async () => {
  for (const program of PROGRAMS) {
    await expect(type(`npx --no-install ${program} --help`)).rejects.toThrow(
      `${program} is not built yet: run make build`,
    );
  }
}, 60_000);

/**
 * Takes over what the repository's own build has made, with the time of each file, so that `make` has little to compile.
 * A build from nothing is covered when the suite runs in a new clone. The files are copies: a build writes into them.
 */
function takeOverBuild(): void {
  if (existsSync(join(copy, "packages/platform/dist"))) return;
  for (const path of readdirSync(join(repository, "packages")).flatMap(outputsOf)) {
    if (existsSync(join(repository, path))) cpSync(join(repository, path), join(copy, path), COPYING);
  }
}

const COPYING = { recursive: true, preserveTimestamps: true };
const outputsOf = (name: string): string[] =>
  ["dist", "tsconfig.tsbuildinfo", "src/generated"].map((output) => `packages/${name}/${output}`);

test.each(PAGES.filter((path) => environmentOf(path) === "copy"))(
  "%s works as written",
  async (path) => {
    rmSync(join(copy, ".orch"), { recursive: true, force: true });
    takeOverBuild();
    await runPage(workplace, pageAt(path), { path, folder: copy, timeoutMs: 400_000 });
  },
  420_000,
);

test("the package for other projects contains the programs and the explorer", async () => {
  const packed = JSON.parse(await type("npm pack --dry-run --json --workspaces --loglevel=error")) as {
    readonly name: string;
    readonly files: readonly { readonly path: string }[];
  }[];
  const files = packed.flatMap(({ name, files }) => files.map(({ path }) => `${name}/${path}`));
  expect(files).toEqual(
    expect.arrayContaining([
      "@orch/apiserver-program/bin/orch-apiserver.js",
      "@orch/apiserver-program/dist/main.js",
      "@orch/apiserver/dist/build.json",
      "@orch/apiserver/dist/main.js",
      "@orch/apiserver/pages/docs/index.html",
      "@orch/console/dist/index.html",
      "@orch/controllers/bin/orch-controller-manager.js",
      "@orch/standalone/bin/orch-standalone.js",
    ]),
  );
}, 60_000);

test("a build says what it does, and does nothing where nothing has changed", async () => {
  await type("make build", INSTALL_AND_BUILD_MS);
  expect(await type("make build 2>&1")).toBe("");
  const check = "node scripts/build.mjs --check";
  await type(check);
  await expect(type(`touch packages/store/src/contract/key-order.ts && ${check}`)).rejects.toThrow();
  const said = await type("make build 2>&1", INSTALL_AND_BUILD_MS);
  for (const step of ["[1/8] Checking and installing packages", "[4/8] Compiling", "[8/8] Bundling the command line"])
    expect(said).toContain(step);
  await type(check);
  await expect(type(`rm packages/apiserver/dist/build.json && ${check}`)).rejects.toThrow();
}, 300_000);

test("packages for other projects are made in a folder that is not there yet", async () => {
  const folder = join(copy, "packed");
  const written = "mkdir -p .orch/packages && npm pack --workspaces --pack-destination .orch/packages";
  expect(pageAt("docs/testing.md").blocks.some(({ text }) => text.includes(written))).toBe(true);
  await type(written.replaceAll(".orch/packages", folder), INSTALL_AND_BUILD_MS);
  expect(readdirSync(folder).filter((file) => file.endsWith(".tgz"))).toHaveLength(
    readdirSync(join(repository, "packages")).length,
  );
}, 300_000);

test("the declarations of packages need no types that their users do not have", () => {
  const { devDependencies } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };
  const untyped = Object.keys(devDependencies).flatMap((name) => /^@types\/(?!node$)(.+)/.exec(name)?.[1] ?? []);
  expect(untyped).toContain("express");
  const imports = new RegExp(`(?:from|import\\()\\s*"(?:${untyped.join("|")})"`);
  const folders = readdirSync(join(repository, "packages")).map((name) => join(repository, "packages", name, "dist"));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const published = files.filter((file) => file.endsWith(".d.ts") && !/\/testing\/|\.test\.d\.ts$/.test(file));
  const reached = published.filter((file) => imports.test(readFileSync(file, "utf8")));
  // Internal files, which no other declaration imports, are not compiled for other packages.
  const ofPipeline = /\/apiserver\/dist\/(pipeline\/|server\/pipeline\.d\.ts$)/;
  expect(reached.filter((file) => !ofPipeline.test(file))).toEqual([]);
});

test("the example of a test on the front page is short, and stands before everything else but the description", () => {
  const [example] = pageAt("README.md").blocks;
  expect(example?.text).toContain("server.applyManifests(");
  expect(example?.text.trim().split("\n").length).toBeLessThanOrEqual(8);
});
