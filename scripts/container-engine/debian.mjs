// Packages of a newer suite of Debian than the machine may run, from the mirror that the machine uses.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";

/** Suite of the engine and of the base images. Its engine needs a C library of 2.34 or newer. */
export const SUITE = "trixie";
const KEYRINGS = ["/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-keyring.pgp"];
const DOWNLOAD_TIMEOUT_MS = 900_000;

/** @throws Error when the machine is not set up for Debian's packages */
export function settingsOfSuite() {
  const format = "--format=$(LABEL) $(REPO_URI)";
  const { output, failure } = run("apt-get", ["indextargets", format, "Created-By: Packages"]);
  if (failure !== undefined) throw new Error(failure);
  const mirror = /^Debian (\S+)$/m.exec(output)?.[1];
  if (mirror === undefined)
    throw new Error("the package sources of this machine have no mirror of Debian: run apt-get update");
  const keyring = KEYRINGS.find((path) => existsSync(path));
  if (keyring === undefined) throw new Error(`${KEYRINGS[0]} is missing: install debian-archive-keyring`);
  return { mirror, keyring };
}

/** @returns the paths of the archives */
export function downloadFromSuite(names, folder) {
  const { mirror, keyring } = settingsOfSuite();
  const lists = join(folder, "lists");
  mkdirSync(join(lists, "partial"), { recursive: true });
  const sources = join(folder, "sources.list");
  writeFileSync(sources, `deb [signed-by=${keyring}] ${mirror} ${SUITE} main\n`);
  const settings = [
    `-oDir::State::lists=${lists}`,
    `-oDir::Cache=${folder}`,
    `-oDir::Etc::sourcelist=${sources}`,
    "-oDir::Etc::sourceparts=-",
    "-oAcquire::Retries=3",
    "-oAPT::Sandbox::User=root",
  ];
  for (const command of [["update"], ["download", ...names]]) {
    const { failure } = run("apt-get", [...settings, "-q", ...command], { cwd: folder, timeout: DOWNLOAD_TIMEOUT_MS });
    if (failure !== undefined) throw new Error(failure);
  }
  return readdirSync(folder)
    .filter((file) => file.endsWith(".deb"))
    .map((file) => join(folder, file));
}
