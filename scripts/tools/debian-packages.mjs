// Debian's packages without installing them: which a program needs beside those that the machine has, downloaded and unpacked.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ONE_PACKAGE_MS = 600_000;
const PATIENT = ["-oAcquire::Retries=3", "-oAcquire::http::Timeout=30"];
/** A C library other than the running system's works with nothing of that system. */
const NEVER = /^libc6(:|$)/;

/**
 * Downloads packages and their dependencies from the suite that the machine runs.
 * @param names packages
 * @param folder target folder; emptied first
 * @param dependencies `missing`: those that dpkg does not list as installed; `all`: every one, whatever is installed
 * @returns the archives, and for each package that is not available the reason
 */
export function downloadWithDependencies(names, folder, dependencies) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const settings = [...ownSuite(), ...(dependencies === "all" ? nothingInstalled(folder) : [])];
  const first = download(names, folder, settings);
  if (first === undefined) return { archives: archivesIn(folder), failures: [] };

  // Lists of packages are missing, or so old that what they name was superseded: fetch lists of our own, which needs no root.
  console.error(`Fetching new lists of packages: ${first}`);
  const own = join(folder, "lists");
  mkdirSync(join(own, "partial"), { recursive: true });
  const lists = [...settings, `-oDir::State::lists=${own}`, `-oDir::Cache=${folder}`];
  // Its success says little: a source of others' packages may be out of reach.
  const { complaint } = run("apt-get", [...lists, ...PATIENT, "-q", "update"]);
  if (complaint !== undefined) console.error(`New lists of packages: ${complaint}`);
  for (const archive of archivesIn(folder)) rmSync(archive); // another version of it may come now
  const second = download(names, folder, lists);
  const failures =
    second === undefined
      ? []
      : names
          .map((name) => ({ package: name, why: names.length === 1 ? second : download([name], folder, lists) }))
          .filter(({ why }) => why !== undefined);
  return { archives: archivesIn(folder), failures };
}

/**
 * Prefers the suite that the machine runs, with its security and point updates, over other suites in the package sources: packages
 * of a newer suite need its C library. Debian's unstable suite has no code name in os-release and gets no preference.
 */
function ownSuite() {
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  const codename = /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(release)?.[1];
  return codename === undefined ? [] : [`-oAPT::Default-Release=/^${codename}(|-security|-updates)$/`];
}

/** Makes apt resolve dependencies as on a machine without any package. */
function nothingInstalled(folder) {
  const status = join(folder, "no-packages");
  writeFileSync(status, "");
  return [`-oDir::State::status=${status}`];
}

/** @returns why it failed, when it did */
function download(names, folder, options) {
  const plan = run("apt-get", [
    ...options,
    "-s",
    "-oDebug::NoLocking=true",
    "--no-install-recommends",
    "install",
    ...names,
  ]);
  if (plan.failure !== undefined) return plan.failure;
  const needed = [...plan.output.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name).filter((name) => !NEVER.test(name));
  const all = [...new Set([...names, ...needed])];
  return run("apt-get", [...options, ...PATIENT, "-q", "download", ...all], folder).failure;
}

/** @throws Error when a package is damaged */
export function unpack(archives, root) {
  mkdirSync(root, { recursive: true });
  for (const archive of archives) {
    const { failure } = run("dpkg-deb", ["--extract", archive, root]);
    if (failure !== undefined) throw new Error(`${archive} cannot be unpacked: ${failure}`);
  }
}

function archivesIn(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".deb"))
    .map((file) => join(folder, file));
}

/** @returns what it printed, its last complaint, and, when it failed, how */
function run(program, args, cwd) {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    timeout: ONE_PACKAGE_MS,
    maxBuffer: 64 * 1024 * 1024,
    // The words of what it prints are read here.
    env: { ...process.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
  });
  if (error !== undefined) {
    const failure =
      error.code === "ENOENT" ? `${program} is not installed on this machine` : `${program}: ${error.message}`;
    return { output: "", complaint: failure, failure };
  }
  const last = (mark) =>
    stderr
      .split("\n")
      .findLast((line) => line.startsWith(mark))
      ?.trim();
  const complaint = last("E:") ?? last("W:");
  if (status === 0) return { output: stdout, complaint };
  const why = complaint ?? stderr.trim().split("\n").at(-1);
  return { output: stdout, complaint, failure: `${program} ends with ${signal ?? status}: ${why}` };
}
