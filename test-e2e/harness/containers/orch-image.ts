// The image of deploy/Dockerfile, built from the sources that git knows.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "../processes";
import type { ContainerEngine, NpmSecrets } from "./container-engine";

const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as { version: string };

export const IMAGE = `orch:${version}`;
export const VERSION = version;
/** Any commit: that of the sources would change the image with every commit. */
export const BUILD_COMMIT = "0123456789abcdef0123456789abcdef01234567";

/** Copies the repository's files, without what builds and tests have left. */
export function copySources(folder: string): void {
  const listed = execFileSync("git", ["ls-files", "-z"], { cwd: repository, encoding: "utf8", maxBuffer: 2 ** 26 });
  for (const path of listed.split("\0").filter((each) => each !== "")) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(repository, path), join(folder, path));
  }
}

/** Builds the image, unless TEST_IMAGE names one that exists: a build takes minutes. */
export async function buildImage(engine: ContainerEngine, folder: string, secrets: NpmSecrets): Promise<void> {
  const ready = process.env["TEST_IMAGE"];
  if (ready !== undefined) {
    await engine.docker(["tag", ready, IMAGE]);
    return;
  }
  const args = [`--build-arg=BUILD_COMMIT=${BUILD_COMMIT}`, `--build-arg=VERSION=${VERSION}`];
  await engine.docker(["build", "--file=deploy/Dockerfile", ...args, ...secrets.options, `--tag=${IMAGE}`, "."], {
    cwd: folder,
  });
}
