// Paths in client configuration files. They may be relative to the folder of their file.
import { isAbsolute, relative } from "node:path";

const PATH_FIELDS: ReadonlySet<string> = new Set([
  "certificate-authority",
  "client-certificate",
  "client-key",
  "tokenFile",
]);

/** Returns an entry with its paths below a folder relative to the folder. */
export function relativePaths(entry: object, folder: string): object {
  return Object.fromEntries(
    Object.entries(entry).map(([field, value]) => [
      field,
      PATH_FIELDS.has(field) && typeof value === "string" ? pathBelow(folder, value) : value,
    ]),
  );
}

function pathBelow(folder: string, path: string): string {
  const short = relative(folder, path);
  return isAbsolute(path) && !short.startsWith("..") ? short : path;
}
