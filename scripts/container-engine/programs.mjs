// Programs of the engine, unpacked from Debian's packages under .tools.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { downloadWithDependencies, unpack } from "../tools/debian-packages.mjs";
import { downloadFromSuite, SUITE } from "./debian.mjs";
import { run } from "./run.mjs";

const NEWER = ["docker.io", "containerd", "docker-cli", "docker-buildx", "docker-compose"];
/** These are linked with the C library of the machine's own suite. */
const OF_THE_MACHINE = ["runc", "iptables", "tini", "debootstrap"];
const LIBRARIES = ["lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"];
const TABLES = ["iptables", "ip6tables"].flatMap((name) => ["", "-save", "-restore"].map((end) => `${name}${end}`));

/** Programs unpacked by another version of the lists are unpacked anew. */
const edition = createHash("sha256")
  .update([SUITE, ...NEWER, ...OF_THE_MACHINE, ...TABLES].join())
  .digest("hex")
  .slice(0, 8);

/**
 * Unpacks the programs, unless a former call did.
 * @param folder folder of everything that belongs to the engine
 * @returns folder of the programs
 * @throws Error with the reason
 */
export function unpackPrograms(folder) {
  const root = join(folder, `programs-${edition}`);
  if (existsSync(root)) return root;
  const draft = `${root}.new`;
  const download = join(folder, "download");
  rmSync(draft, { recursive: true, force: true });
  console.error("Unpacking the container engine from Debian's packages");
  const own = downloadWithDependencies(OF_THE_MACHINE, download, "missing");
  const [lacking] = own.failures;
  if (lacking !== undefined) throw new Error(`${lacking.package} is not available: ${lacking.why}`);
  unpack(own.archives, draft);
  rmSync(download, { recursive: true });
  mkdirSync(download);
  unpack(downloadFromSuite(NEWER, download), draft);
  rmSync(download, { recursive: true });
  linkTables(draft);
  renameSync(draft, root);
  return root;
}

/** Removes what earlier versions of the lists unpacked. No engine may run. */
export function removeOtherPrograms(root) {
  for (const name of readdirSync(dirname(root))) {
    if (name.startsWith("programs-") && name !== basename(root)) rmSync(join(dirname(root), name), { recursive: true });
  }
}

/** @returns variables with which the programs find each other and their libraries */
export function environmentOf(root) {
  const programs = ["links", "usr/bin", "usr/sbin", "sbin"].map((each) => join(root, each));
  return {
    PATH: [...programs, process.env.PATH, "/usr/sbin", "/sbin"].join(":"),
    LD_LIBRARY_PATH: LIBRARIES.map((each) => join(root, each)).join(":"),
    XTABLES_LIBDIR: join(root, "usr/lib/x86_64-linux-gnu/xtables"),
  };
}

/** The package's links lead to alternatives of an installed system. */
function linkTables(root) {
  const links = join(root, "links");
  mkdirSync(links, { recursive: true });
  const which = ["xtables-nft-multi", "xtables-legacy-multi"].find((program) => {
    const path = join(root, "usr/sbin", program);
    const env = { ...process.env, ...environmentOf(root) };
    return run(path, ["iptables", "-t", "nat", "-L", "-n"], { env }).failure === undefined;
  });
  if (which === undefined)
    throw new Error("the kernel refuses tables of iptables: the engine needs them for its networks");
  for (const name of TABLES) symlinkSync(join("../usr/sbin", which), join(links, name));
}
