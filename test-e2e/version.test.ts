// `/version`: commit and date of the build, or their substitutes without git.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { startApiServer } from "./harness/api-server";
import { repository, useWorkplace } from "./harness/processes";

const RECORD = "packages/apiserver/dist/build.json";
const SCRIPT = "scripts/write-build-record.mjs";
const NOW = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

const workplace = useWorkplace();

describe("the record of a build", () => {
  let folder: string;
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
  const build = (environment: Readonly<Record<string, string>> = {}) => {
    const env = { PATH: process.env["PATH"], ...environment };
    execFileSync(process.execPath, [join(folder, SCRIPT)], { cwd: "/", env });
    return JSON.parse(readFileSync(join(folder, RECORD), "utf8")) as object;
  };
  const commit = () => {
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "--message=all");
  };

  beforeEach(() => {
    folder = workplace.folder();
    mkdirSync(join(folder, "scripts"));
    copyFileSync(join(repository, SCRIPT), join(folder, SCRIPT));
    writeFileSync(join(folder, "package.json"), '{"version":"7.8.9"}');
    writeFileSync(join(folder, ".gitignore"), "dist/\n");
  });

  test("names the commit, and says whether more was changed", () => {
    commit();
    const head = git("rev-parse", "HEAD");
    expect(build()).toEqual({ commit: head, treeState: "clean", date: NOW });
    writeFileSync(join(folder, "more"), "");
    expect(build()).toEqual({ commit: head, treeState: "dirty", date: NOW });
  });

  test("names the package's version where there is no repository, nor a commit", () => {
    const record = { commit: "v7.8.9", treeState: "archive", date: NOW };
    expect(build()).toEqual(record);
    git("init", "--quiet");
    expect(build()).toEqual(record);
  });

  test("does not take the repository that it is unpacked in for its own", () => {
    commit();
    const outer = folder;
    folder = join(outer, "inner");
    mkdirSync(join(folder, "scripts"), { recursive: true });
    for (const file of [SCRIPT, "package.json"]) copyFileSync(join(outer, file), join(folder, file));
    expect(build()).toMatchObject({ commit: "v7.8.9" });
  });

  test("is what the environment says, where it says so", () => {
    commit();
    const environment = { BUILD_COMMIT: "0123abc", SOURCE_DATE_EPOCH: "1700000000" };
    expect(build(environment)).toEqual({ commit: "0123abc", treeState: "archive", date: "2023-11-14T22:13:20Z" });
  });
});

test("a server tells what it was built from, and no place where that was", async () => {
  const record = JSON.parse(readFileSync(join(repository, RECORD), "utf8"));
  expect(record).toEqual({ commit: expect.stringMatching(/^[\w.]+$/), treeState: expect.any(String), date: NOW });
  const told = { gitCommit: record.commit, gitTreeState: record.treeState, buildDate: record.date };

  const server = await startApiServer(workplace, { store: { kind: "memory" } });
  const version = (await server.admin.get("/version")).body;
  expect(JSON.parse(version)).toMatchObject(told);
  expect(version).not.toContain(repository);
  expect((await server.admin.get("/metrics")).body).toMatch(
    new RegExp(`orch_build_info\\{.*git_commit="${record.commit}".*build_date="${record.date}"`),
  );
  const main = join(repository, "packages/apiserver-program/bin/orch-apiserver.js");
  const printed = (...flags: readonly string[]) =>
    execFileSync(process.execPath, [main, ...flags], { encoding: "utf8" });
  expect(JSON.parse(printed("--version=raw"))).toMatchObject(told);
  const product = JSON.parse(readFileSync(join(repository, "packages/apiserver/package.json"), "utf8")).version;
  // A build without git knows no commit.
  const commit = /^[0-9a-f]{40}$/.test(record.commit) ? `, commit ${record.commit.slice(0, 12)}` : "";
  for (const release of ["1.20", "1.30"]) {
    expect(printed("--version", `--emulated-release=${release}`)).toBe(
      `orch-apiserver v${product} (serves the API of v${release}.0+orch${commit})\n`,
    );
  }
  const orch = join(repository, "packages/cli/bin/orch.js");
  const orchPrinted = (...words: readonly string[]) =>
    execFileSync(process.execPath, [orch, ...words], { encoding: "utf8" });
  expect(orchPrinted("--version")).toBe(printed("--version").replace("orch-apiserver ", "orch "));
  expect(orchPrinted("controller-manager", "--version")).toBe(
    `orch-controller-manager v${product}${commit.replace(/^, (.*)$/, " ($1)")}\n`,
  );
  expect(JSON.parse(orchPrinted("controller-manager", "--version=raw"))).toMatchObject({
    version: product,
    gitCommit: record.commit,
    buildDate: record.date,
  });
  const olderPath = join(repository, "packages/apiserver/dist/main.js");
  expect(execFileSync(process.execPath, [olderPath, "--version"], { encoding: "utf8" })).toBe(printed("--version"));
}, 60_000);
