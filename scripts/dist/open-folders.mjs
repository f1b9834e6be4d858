// Modes of the files of a package, which must not depend on the mask of the user who builds it.
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Gives every folder the mode 0755, and every file read permission, whatever the mask of the user. */
export function openFolders(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) openFolders(path);
    else chmodSync(path, lstatSync(path).mode & 0o111 ? 0o755 : 0o644);
  }
}
