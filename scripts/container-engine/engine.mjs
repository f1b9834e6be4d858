// A container engine for tests: the machine's own where one works, otherwise Docker from Debian's packages, which needs root and
// namespaces. All processes that use the second one share it; it stops when the last of them has released it.
import { spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freeNetwork, networkState, restoreNetwork } from "./networks.mjs";
import { environmentOf, removeOtherPrograms, unpackPrograms } from "./programs.mjs";
import { run } from "./run.mjs";

const TOOLS = fileURLToPath(new URL("../../.tools", import.meta.url));
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 90_000;
const POLL_MS = 200;
/** The longest path of a Unix socket has 107 characters. */
const SOCKET_PATH_MAX = 90;

/**
 * Starts the engine, or joins it.
 * @param pid process that uses it; the engine may stop after its end
 * @returns `{ env, installed, root, work }`: variables for `docker`, whether the machine's own engine is used, folder of the unpacked
 *   programs, and a folder for temporary files; or `{ unavailable }`, the reason why there is no engine
 */
export async function acquireEngine(pid = process.pid) {
  mkdirSync(TOOLS, { recursive: true });
  const folder = join(realpathSync(TOOLS), "container-engine");
  const work = join(folder, "work");
  mkdirSync(work, { recursive: true });
  if (run("docker", ["compose", "version"]).failure === undefined && run("docker", ["info"]).failure === undefined) {
    return { env: process.env, installed: true, root: "/", work };
  }
  const lack = lackOfMachine(folder);
  if (lack !== undefined) return { unavailable: lack };
  try {
    const root = await alone(folder, () => unpackPrograms(folder));
    const env = {
      ...process.env,
      ...environmentOf(root),
      DOCKER_HOST: `unix://${folder}/docker.sock`,
      DOCKER_CONFIG: configuration(folder, root),
    };
    await alone(folder, async () => {
      addUser(folder, pid);
      if (run("docker", ["info"], { env }).failure !== undefined) await start(folder, root, env);
    });
    return { env, installed: false, root, work };
  } catch (error) {
    await releaseEngine(pid);
    return { unavailable: error.message };
  }
}

/** Stops the engine unless another process uses it. Stopped containers, images and volumes stay. */
export async function releaseEngine(pid = process.pid) {
  const folder = join(realpathSync(TOOLS), "container-engine");
  if (!existsSync(join(folder, "users"))) return;
  await alone(folder, async () => {
    rmSync(join(folder, "users", String(pid)), { force: true });
    if (users(folder).length === 0) await stop(folder);
  });
}

/** @returns why the machine cannot run an engine; undefined when it seems to */
function lackOfMachine(folder) {
  if (process.platform !== "linux" || process.arch !== "x64") return "the engine runs on Linux on x86-64 only";
  if (process.getuid() !== 0) return "no container engine is installed, and starting one needs root";
  if (folder.length > SOCKET_PATH_MAX) return `${folder} is too long for the path of a Unix socket`;
  for (const program of ["apt-get", "dpkg-deb", "unshare", "flock"]) {
    if (spawnSync("sh", ["-c", `command -v ${program}`]).status !== 0)
      return `no container engine is installed, nor ${program}`;
  }
  const { failure } = run("unshare", ["--mount", "--net", "--pid", "--fork", "true"]);
  return failure && `no container engine is installed, and this machine allows no namespaces: ${failure}`;
}

async function start(folder, root, env) {
  removeOtherPrograms(root);
  rmSync(join(folder, "docker.pid"), { force: true });
  const network = freeNetwork();
  writeFileSync(join(folder, "network-before.json"), JSON.stringify({ root, ...networkState(env) }));
  const script = fileURLToPath(new URL("daemon.sh", import.meta.url));
  const log = openSync(join(folder, "daemon.log"), "a");
  const daemon = spawn(
    "unshare",
    ["--mount", "--propagation", "private", "sh", script, folder, storageDriver(folder), network.bridge, network.pool],
    { env, detached: true, stdio: ["ignore", log, log] },
  );
  daemon.unref();
  writeFileSync(join(folder, "daemon.pid"), String(daemon.pid));
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (run("docker", ["info"], { env }).failure !== undefined) {
    if (performance.now() > deadline || !isAlive(daemon.pid))
      throw new Error(`the container engine does not start: ${lastError(folder)}`);
    await sleep(POLL_MS);
  }
}

async function stop(folder) {
  const pid = readNumber(join(folder, "daemon.pid"));
  if (pid === undefined) return;
  if (isDaemon(pid)) {
    process.kill(pid, "SIGTERM");
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    while (isAlive(pid) && performance.now() < deadline) await sleep(POLL_MS);
    if (isAlive(pid)) throw new Error(`the container engine does not end: see ${folder}/dockerd.log`);
  }
  rmSync(join(folder, "daemon.pid"), { force: true });
  const before = join(folder, "network-before.json");
  if (!existsSync(before)) return;
  const state = JSON.parse(readFileSync(before, "utf8"));
  restoreNetwork({ ...process.env, ...environmentOf(state.root) }, state);
}

/** The overlay file system is refused on some machines, as in containers. */
function storageDriver(folder) {
  const script =
    'cd "$1" && mkdir -p a b c d && mount -t overlay overlay -o lowerdir=a,upperdir=b,workdir=c d && touch d/file';
  const trial = join(folder, "work/overlay");
  mkdirSync(trial, { recursive: true });
  const { failure } = run("unshare", ["--mount", "sh", "-c", script, "sh", trial]);
  rmSync(trial, { recursive: true, force: true });
  return failure === undefined ? "overlay2" : "vfs";
}

/** `docker` finds its plugins from its configuration. @returns the folder of the configuration */
function configuration(folder, root) {
  const path = join(folder, "configuration");
  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(path, "config.json"),
    JSON.stringify({ cliPluginsExtraDirs: [join(root, "usr/libexec/docker/cli-plugins")] }),
  );
  return path;
}

function addUser(folder, pid) {
  mkdirSync(join(folder, "users"), { recursive: true });
  writeFileSync(join(folder, "users", String(pid)), "");
}

/** Removes the files of processes that have ended. @returns the processes that use the engine */
function users(folder) {
  const pids = readdirSync(join(folder, "users")).map(Number);
  for (const pid of pids.filter((each) => !isAlive(each))) rmSync(join(folder, "users", String(pid)), { force: true });
  return pids.filter(isAlive);
}

/** Runs an action while no other process changes the engine. */
async function alone(folder, action) {
  const holder = spawn("flock", [join(folder, "lock"), "sh", "-c", "echo locked; cat > /dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => holder.once("exit", resolve));
  await new Promise((resolve, reject) => {
    holder.once("error", reject);
    holder.stdout.once("data", resolve);
  });
  try {
    return await action();
  } finally {
    holder.stdin.end();
    await ended;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/** After a reboot the number may be another program's. */
const isDaemon = (pid) => isAlive(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("daemon.sh");

const readNumber = (path) => (existsSync(path) ? Number(readFileSync(path, "utf8")) : undefined);

function lastError(folder) {
  const lines = ["containerd.log", "dockerd.log"]
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => readFileSync(path, "utf8").trim().split("\n").slice(-2));
  return lines.join("\n");
}
