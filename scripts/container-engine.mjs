// Runs a command with a container engine: the machine's own, or Docker from Debian's packages. See USAGE.
import { spawnSync } from "node:child_process";
import { isProgram, readCommandLine } from "./command-line.mjs";
import { BASE_IMAGES, provideBaseImages } from "./container-engine/base-images.mjs";
import { acquireEngine, releaseEngine } from "./container-engine/engine.mjs";

const NAMES = ["debian", ...Object.keys(BASE_IMAGES)];

const USAGE = `Runs a command in which "docker" and "docker compose" work. Where no engine is installed, one is unpacked from Debian's packages into
.tools/container-engine and runs for the time of the command; images and volumes stay there. This needs root and namespaces. The first
run takes minutes, and several gigabytes. Base images of the repository's files are pulled, or made of Debian's packages.

Usage: node scripts/container-engine.mjs [--image NAME ...] -- COMMAND [ARGUMENT ...]
       node scripts/container-engine.mjs --join PID [--image NAME ...]
       node scripts/container-engine.mjs --leave PID

  --image NAME  base image to provide first: ${NAMES.join(", ")}; may be repeated (default: all)
  --join PID    keep the engine running for a process, and print the variables for "docker" as JSON
  --leave PID   end the use of that process; the engine stops after the last one
  --help        print this text

Exit code 3 means that there is no engine and none can be started here; the reason is printed.`;

const NO_ENGINE = 3;

async function join(pid, images) {
  const engine = await acquireEngine(pid);
  if (engine.unavailable !== undefined) {
    console.error(engine.unavailable);
    return undefined;
  }
  try {
    provideBaseImages(engine, images);
    return engine;
  } catch (error) {
    console.error(error.message);
    await releaseEngine(pid);
    return undefined;
  }
}

async function runCommand([command, ...args], images) {
  // The command gets the signals of the terminal as well, and decides.
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});
  const engine = await join(process.pid, images);
  if (engine === undefined) return NO_ENGINE;
  try {
    return spawnSync(command, args, { stdio: "inherit", env: engine.env }).status ?? 1;
  } finally {
    await releaseEngine(process.pid);
  }
}

async function joinFor(pid, images) {
  const engine = await join(pid, images);
  if (engine === undefined) return NO_ENGINE;
  const { PATH, LD_LIBRARY_PATH, XTABLES_LIBDIR, DOCKER_HOST, DOCKER_CONFIG } = engine.env;
  console.log(
    JSON.stringify(engine.installed ? {} : { PATH, LD_LIBRARY_PATH, XTABLES_LIBDIR, DOCKER_HOST, DOCKER_CONFIG }),
  );
  return 0;
}

if (isProgram(import.meta.url)) {
  const { values, positionals } = readCommandLine(USAGE, {
    allowPositionals: true,
    options: { image: { type: "string", multiple: true }, join: { type: "string" }, leave: { type: "string" } },
    check: ({ values, positionals }) => {
      const unknown = (values.image ?? []).find((name) => !NAMES.includes(name));
      if (unknown !== undefined) return `--image: ${unknown} is none of ${NAMES.join(", ")}`;
      const pid = values.join ?? values.leave;
      if (pid !== undefined) return /^\d+$/.test(pid) ? undefined : `${pid} is not the id of a process`;
      return positionals.length > 0 ? undefined : "COMMAND is needed";
    },
  });
  const images = values.image ?? NAMES;
  if (values.leave !== undefined) await releaseEngine(Number(values.leave));
  else if (values.join !== undefined) process.exitCode = await joinFor(Number(values.join), images);
  else process.exitCode = await runCommand(positionals, images);
}
