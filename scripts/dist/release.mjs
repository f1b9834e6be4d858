// Identity of a release: version, commit and date. $BUILD_COMMIT and $SOURCE_DATE_EPOCH replace the commit of git and
// its date, where the folder is no clone.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** @param root folder of the repository @returns the date is that of the commit, so that builds of a commit are equal */
export function releaseOf(root) {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const git = existsSync(join(root, ".git")) ? fromGit(root) : { commit: `v${version}`, treeState: "archive" };
  const { BUILD_COMMIT, SOURCE_DATE_EPOCH } = process.env;
  const { commit, treeState } = BUILD_COMMIT ? { commit: BUILD_COMMIT, treeState: "archive" } : git;
  const epoch = Number(SOURCE_DATE_EPOCH || git.epoch || Math.floor(Date.now() / 1000));
  const date = new Date(epoch * 1000).toISOString().replace(/\.\d+Z$/, "Z");
  return { version, commit, treeState, epoch, date };
}

function fromGit(root) {
  const git = (...words) => execFileSync("git", words, { cwd: root, encoding: "utf8" }).trim();
  return {
    commit: git("rev-parse", "HEAD"),
    treeState: git("status", "--porcelain") === "" ? "clean" : "dirty",
    epoch: git("log", "-1", "--format=%ct"),
  };
}
