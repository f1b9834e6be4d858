// node scripts/system-root.mjs: makes the root folder of a Debian system with systemd, etcd and HAProxy under .tools, once, and
// prints its path. test-e2e/deploy/systemd.test.ts boots copies of it.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { downloadWithDependencies, unpack } from "./tools/debian-packages.mjs";

const PACKAGES = ["systemd", "systemd-sysv", "etcd-server", "haproxy", "curl", "openssl"];
/** Node.js is linked with these. */
const LIBRARIES = ["libatomic1", "libstdc++6"];
const MAKE_TIMEOUT_MS = 1_200_000;
const tools = fileURLToPath(new URL("../.tools", import.meta.url));
const edition = createHash("sha256")
  .update(readFileSync(fileURLToPath(import.meta.url)))
  .digest("hex")
  .slice(0, 12);

function main() {
  const root = join(tools, "system-root", edition);
  if (existsSync(root)) return root;
  if (process.getuid?.() !== 0) throw new Error("a root folder of a system needs the user root");
  const folder = join(tools, "system-root", `${edition}.${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const program = debootstrap(join(folder, "debootstrap"));
    const draft = join(folder, "root");
    console.error(`Making a Debian system with ${PACKAGES.join(", ")} under .tools/system-root`);
    const command = [
      join(program, "usr/sbin/debootstrap"),
      "--variant=minbase",
      `--include=${[...PACKAGES, ...LIBRARIES]}`,
    ];
    // It mounts /proc in the folder.
    run("unshare", ["--mount", ...command, suite(), draft, mirror()], {
      DEBOOTSTRAP_DIR: join(program, "usr/share/debootstrap"),
    });
    rmSync(join(draft, "var/cache/apt"), { recursive: true, force: true });
    rmSync(join(draft, "var/lib/apt/lists"), { recursive: true, force: true });
    // Debian's package starts its own member.
    rmSync(join(draft, "etc/systemd/system/multi-user.target.wants/etcd.service"), { force: true });
    rmSync(join(draft, "etc/systemd/system/multi-user.target.wants/haproxy.service"), { force: true });
    renameSync(draft, root);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  removeOthers();
  return root;
}

/** @returns the folder into which the package was unpacked */
function debootstrap(folder) {
  const { archives, failures } = downloadWithDependencies(["debootstrap"], join(folder, "download"), "missing");
  if (failures.length > 0) throw new Error(`${failures[0].package} is not available: ${failures[0].why}`);
  unpack(archives, folder);
  return folder;
}

/** The suite that the machine runs: packages of another one may need a newer kernel. */
function suite() {
  const release = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  const name = /^ID=debian$/m.test(release) ? /^VERSION_CODENAME="?([a-z]+)"?$/m.exec(release)?.[1] : undefined;
  if (name === undefined) throw new Error("the machine does not run Debian, whose packages the system is made of");
  return name;
}

/** The mirror that the machine's own sources name. */
function mirror() {
  const listed = run("apt-get", ["indextargets", "--format=$(LABEL) $(REPO_URI)", "Created-By: Packages"]);
  const found = /^Debian (\S+)$/m.exec(listed)?.[1];
  if (found === undefined) throw new Error("no package source of this machine is Debian's: run apt-get update");
  return found;
}

function run(program, args, env = {}) {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    encoding: "utf8",
    timeout: MAKE_TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive", ...env },
  });
  if (error !== undefined) throw new Error(`${program}: ${error.message}`);
  if (status !== 0)
    throw new Error(`${program} ends with ${status}: ${`${stdout}${stderr}`.trim().split("\n").at(-1)}`);
  return stdout;
}

/** Removes systems that earlier versions of this script made. */
function removeOthers() {
  const all = join(tools, "system-root");
  for (const name of readdirSync(all))
    if (/^[0-9a-f]{12}$/.test(name) && name !== edition) rmSync(join(all, name), { recursive: true, force: true });
}

try {
  process.stdout.write(`${main()}\n`);
} catch (error) {
  console.error(`system-root: ${error.message}`);
  process.exit(1);
}
