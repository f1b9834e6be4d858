// Archives with sorted names, one time and one owner, so that equal folders give equal bytes.
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";

/** @param folder holds `name`, which the archive contains @param epoch time of all files, in seconds */
export function writeTarball(target, { folder, name, epoch }) {
  const plain = `${target}.tar`;
  const times = [`--mtime=@${epoch}`, "--owner=0", "--group=0", "--numeric-owner", "--sort=name", "--format=gnu"];
  // The modes of folders depend on the mask of the user.
  const modes = ["--mode=u+rwX,go+rX,go-w"];
  execFileSync("tar", [...times, ...modes, "-C", folder, "-cf", plain, name], { env: environment() });
  try {
    writeFileSync(target, execFileSync("gzip", ["-6nc", plain], { maxBuffer: 1 << 30 }));
  } finally {
    rmSync(plain, { force: true });
  }
}

/** Environment of programs whose output must not depend on the locale or on options of the user. */
export function environment(more = {}) {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, ...(HOME && { HOME }), ...(TMPDIR && { TMPDIR }), LC_ALL: "C", TZ: "UTC", ...more };
}
