// Files of a folder that the proxy also serves.
import { createReadStream, realpathSync, statSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { CliError } from "../../process/cli-error";

export interface StaticFiles {
  /** Tells whether a URL is in the place of the files. */
  answers(url: string): boolean;
  send(url: string, response: ServerResponse): void;
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".mjs": "text/javascript; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
};

/** @param prefix path, with slashes at both ends @throws CliError when the folder cannot be read */
export function staticFiles(prefix: string, folder: string): StaticFiles {
  let root: string;
  try {
    root = realpathSync(folder);
  } catch {
    throw new CliError(`--www: ${JSON.stringify(folder)} is no folder that can be read`);
  }
  return {
    answers: (url) => url.startsWith(prefix),
    send: (url, response) => {
      const path = fileOf(root, url.slice(prefix.length));
      if (path === undefined) {
        response.writeHead(404, { "content-type": "text/plain; charset=utf-8" });
        response.end("404 page not found\n");
        return;
      }
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
      const file = createReadStream(path);
      file.on("error", () => response.destroy());
      file.pipe(response);
    },
  };
}

/** Returns the file of a URL within the folder, also behind links; undefined if there is none. */
function fileOf(root: string, rest: string): string | undefined {
  try {
    const [encoded = ""] = rest.split("?");
    let path = realpathSync(resolve(root, join(".", decodeURIComponent(encoded))));
    if (path !== root && !path.startsWith(root + sep)) return undefined;
    if (statSync(path).isDirectory()) path = join(path, "index.html");
    return statSync(path).isFile() ? path : undefined;
  } catch {
    return undefined;
  }
}
