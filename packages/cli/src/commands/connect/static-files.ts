// Files of a folder that the proxy also serves.
import { createReadStream, readdirSync, realpathSync, statSync } from "node:fs";
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

const TEXT = "text/plain; charset=utf-8";

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
      const [path = "", query] = url.split("?");
      const found = placeOf(root, path.slice(prefix.length));
      if (found === undefined) {
        end(response, 404, TEXT, "404 page not found\n");
      } else if (found.isFolder && !path.endsWith("/")) {
        // Links of the page are relative to the folder.
        const place = `./${path.slice(path.lastIndexOf("/") + 1)}/`;
        response.writeHead(301, { location: query === undefined ? place : `${place}?${query}` });
        response.end();
      } else if (found.isFolder) {
        const page = listing(found.path);
        if (page === undefined) end(response, 403, TEXT, "403 the folder cannot be read\n");
        else end(response, 200, "text/html; charset=utf-8", page);
      } else {
        response.writeHead(200, { "content-type": TYPES[extname(found.path)] ?? "application/octet-stream" });
        const file = createReadStream(found.path);
        file.on("error", () => response.destroy());
        file.pipe(response);
      }
    },
  };
}

function end(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { "content-type": type });
  response.end(text);
}

interface Place {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Returns the file or folder of a path within the root, also behind links; undefined if there is none. */
function placeOf(root: string, encoded: string): Place | undefined {
  try {
    const path = realpathSync(resolve(root, join(".", decodeURIComponent(encoded))));
    if (path !== root && !path.startsWith(root + sep)) return undefined;
    const found = statSync(path);
    if (!found.isDirectory()) return found.isFile() ? { path, isFolder: false } : undefined;
    const index = join(path, "index.html");
    const isPage =
      statSync(index, { throwIfNoEntry: false })?.isFile() === true && encoded.replace(/^$/, "/").endsWith("/");
    return isPage ? { path: index, isFolder: false } : { path, isFolder: true };
  } catch {
    return undefined;
  }
}

/** Returns a page with links to the entries of a folder; undefined when it cannot be read. */
function listing(folder: string): string | undefined {
  try {
    const links = readdirSync(folder, { withFileTypes: true })
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((entry) => linkTo(entry.name, entry.isDirectory() ? "/" : ""));
    return `<!doctype html>\n<meta charset="utf-8">\n<pre>\n${links.join("")}</pre>\n`;
  } catch {
    return undefined;
  }
}

const linkTo = (name: string, end: string): string =>
  `<a href="./${encodeURIComponent(name)}${end}">${escaped(name)}${end}</a>\n`;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
