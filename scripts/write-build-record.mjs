// Writes build.json into packages of programs, which they report at /version and with --version: the commit, the state of
// the working tree and the date. The commit is $BUILD_COMMIT, else that of git, else the package version. $SOURCE_DATE_EPOCH
// (seconds) replaces the current time for reproducible builds.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const targets = ["apiserver", "controllers"].map((name) => join(root, "packages", name, "dist/build.json"));
const { BUILD_COMMIT, SOURCE_DATE_EPOCH } = process.env;

const record = { ...(ofEnvironment() ?? ofGit() ?? ofPackage()), date: dateText() };
for (const target of targets) {
  mkdirSync(dirname(target), { recursive: true });
  // Replaced atomically: a server may be starting.
  writeFileSync(`${target}.new`, `${JSON.stringify(record)}\n`);
  renameSync(`${target}.new`, target);
}

function ofEnvironment() {
  return BUILD_COMMIT ? { commit: BUILD_COMMIT, treeState: "archive" } : undefined;
}

function ofGit() {
  if (!existsSync(join(root, ".git"))) return undefined; // ignores a repository that contains this folder
  try {
    const git = (...words) =>
      execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return {
      commit: git("rev-parse", "HEAD").trim(),
      treeState: git("status", "--porcelain") === "" ? "clean" : "dirty",
    };
  } catch {
    return undefined; // no git, or no commit yet
  }
}

function ofPackage() {
  return { commit: `v${JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version}`, treeState: "archive" };
}

/** Returns the date in the format of `/version`: UTC, to the second. */
function dateText() {
  const date = SOURCE_DATE_EPOCH ? new Date(Number(SOURCE_DATE_EPOCH) * 1000) : new Date();
  return date.toISOString().replace(/\.\d+Z$/, "Z");
}
