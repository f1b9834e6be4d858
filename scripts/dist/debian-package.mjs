// The Debian package: the folder of the product below /usr, units, the configuration files, the user and the data folder.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { environment } from "./archive.mjs";
import { openFolders } from "./open-folders.mjs";
import { copyFile, copyTree, put } from "./program-files.mjs";

/** Folders of `deploy/` that systemd reads, and where it reads them. */
const OF_SYSTEMD = {
  systemd: "usr/lib/systemd/system",
  "sysusers.d": "usr/lib/sysusers.d",
  "tmpfiles.d": "usr/lib/tmpfiles.d",
};
const CONTROL_FILES = ["postinst", "prerm", "postrm"];
const CONFIGURATION = "etc/orch";

/**
 * @param root folder of the repository
 * @param product folder of the product
 * @param folder receives the files of the package
 * @param target path of the package
 */
export function writeDebianPackage(target, { root, product, folder, release }) {
  rmSync(folder, { recursive: true, force: true });
  const all = () => true;
  for (const part of ["bin", "lib", "share"])
    for (const entry of readdirSync(join(product, part)))
      moveCopy(join(product, part, entry), join(folder, "usr", part, entry));
  // The package depends on the one that has this library.
  rmSync(join(folder, "usr/lib/orch/lib"), { recursive: true, force: true });
  for (const [from, to] of Object.entries(OF_SYSTEMD)) copyTree(join(root, "deploy", from), join(folder, to), all);
  moveCopy(join(product, "deploy"), join(folder, "usr/share/orch/deploy"));
  const own = join(root, "scripts/dist/debian");
  for (const part of ["etc", "haproxy"]) copyTree(join(root, "deploy", part), join(folder, CONFIGURATION), all);
  const doc = join(folder, "usr/share/doc/orch");
  copyFile(join(doc, "LICENSE"), join(doc, "copyright"));
  put(join(doc, "changelog.gz"), gzipSync(readFileSync(join(root, "CHANGELOG.md")), { level: 9 }));
  rmSync(join(doc, "CHANGELOG.md"));
  for (const name of readdirSync(join(folder, "usr/share/man/man1")))
    compress(join(folder, "usr/share/man/man1", name));
  const bytes = sizeOf(folder);
  const control = readFileSync(join(own, "control"), "utf8")
    .replace("@VERSION@", debianVersion(release.version))
    .replace("@KIBIBYTES@", String(Math.ceil(bytes / 1024)));
  put(join(folder, "DEBIAN/control"), control);
  const configured = readdirSync(join(folder, CONFIGURATION)).sort();
  put(join(folder, "DEBIAN/conffiles"), configured.map((name) => `/${CONFIGURATION}/${name}\n`).join(""));
  for (const name of CONTROL_FILES) copyFile(join(own, name), join(folder, "DEBIAN", name), 0o755);
  openFolders(folder);
  const packing = ["--root-owner-group", "-Zgzip", "-z6", "--build", folder, target];
  execFileSync("dpkg-deb", packing, {
    stdio: ["ignore", "ignore", "inherit"],
    env: environment({ SOURCE_DATE_EPOCH: String(release.epoch) }),
  });
}

/** Returns the version with the order of SemVer: a `~` sorts before the end, as a pre-release does. */
export const debianVersion = (version) => version.replace("-", "~");

function moveCopy(from, to) {
  if (lstatSync(from).isDirectory()) {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(from)) moveCopy(join(from, name), join(to, name));
  } else {
    copyFile(from, to, lstatSync(from).mode & 0o777);
  }
}

function compress(path) {
  put(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
  rmSync(path);
}

function sizeOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((bytes, entry) => {
    const path = join(folder, entry.name);
    return bytes + (entry.isDirectory() ? sizeOf(path) : lstatSync(path).size);
  }, 0);
}

/** Reports whether this machine can make the package. */
export const hasDebianTools = () =>
  (process.env.PATH ?? "").split(":").some((folder) => folder !== "" && existsSync(join(folder, "dpkg-deb")));
