// `/ui`: the console, a page that shows and changes the objects of the server with the visitor's own credentials. Its files
// are those of the build of packages/console; a build without them has no console. Source: docs/install.md,
// "Console".
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Content, contentHash, IMMUTABLE } from "@orch/http-server";
import { parseAccept, routerNotFound } from "@orch/machinery";
import type { ApiRequest, ApiResponse } from "@orch/request";
import { type JsonObject, writeJson } from "@orch/schema";
import type { PathHandler } from "./dispatch";
import { EXPLORER_PATH } from "./docs-handler";
import { answerPage, CLOSED_POLICY, PageFiles, pageType } from "./page-answer";

/** Address of the console. */
export const CONSOLE_PATH = "/ui";
const PAGE = "index.html";
/** Folder of the files whose names contain a hash of their content. */
const HASHED = "assets/";
const CONFIGURATION = "config.json";
const NO_CONSOLE = "this build of the server has no console: make build makes it, and --console=false takes it away";

/** Folder of the console's files beside this package, in the repository and in a release. */
const FOLDER = join(__dirname, "../../../console/dist");

export interface ConsoleDeps {
  /** Folder of the files. Default: that of the build. */
  readonly folder?: string | undefined;
  /** Returns what `/ui/config.json` tells the page about the server. It is public. */
  readonly configuration: () => JsonObject;
  /** Returns the origins beside this server that the page may send requests to. */
  readonly origins: () => readonly string[];
}

export interface ConsoleHandlers {
  readonly page: PathHandler;
  /** Handler of the paths below the page. */
  readonly part: PathHandler;
}

/** Returns the path of the page to which the server leads people: the console, or the explorer where there is none. */
export const pageForPeople = ({ console }: { readonly console: boolean }, folder = FOLDER): string =>
  console && existsSync(join(folder, PAGE)) ? CONSOLE_PATH : EXPLORER_PATH;

export function consoleHandlers({ folder = FOLDER, configuration, origins }: ConsoleDeps): ConsoleHandlers {
  const files = new PageFiles();
  let names: Promise<ReadonlySet<string>> | undefined;

  /** Returns the paths of all files below the folder, which are read when the console is first opened. */
  function namesOf(): Promise<ReadonlySet<string>> {
    names ??= listFiles(folder).catch((error: NodeJS.ErrnoException) => {
      // The next request looks again: a build may have come in between.
      names = undefined;
      if (error.code !== "ENOENT") throw error;
      return new Set();
    });
    return names;
  }

  async function answerFile(request: ApiRequest, response: ApiResponse, name: string): Promise<void> {
    const present = await namesOf();
    if (!present.has(PAGE)) throw routerNotFound(NO_CONSOLE);
    const type = present.has(name) ? pageType(name) : undefined;
    if (type === undefined && (name.startsWith(HASHED) || !asksForPage(request))) throw routerNotFound();
    const found = type === undefined ? PAGE : name;
    const content = await files.content(join(folder, found));
    await answerPage(request, response, content, {
      contentType: type ?? pageType(PAGE) ?? "",
      cacheControl: found.startsWith(HASHED) ? IMMUTABLE : undefined,
      policy: policyOf(origins()),
    });
  }

  async function answerConfiguration(request: ApiRequest, response: ApiResponse): Promise<void> {
    const bytes = Buffer.from(`${writeJson(configuration())}\n`);
    const content = new Content(bytes, contentHash(bytes), false);
    await answerPage(request, response, content, {
      contentType: pageType(CONFIGURATION) ?? "",
      policy: policyOf([]),
    });
  }

  return {
    page: (request, response) => answerFile(request, response, PAGE),
    part: (request, response) => {
      const name = request.context.info.path.slice(`${CONSOLE_PATH}/`.length);
      return name === CONFIGURATION
        ? answerConfiguration(request, response)
        : answerFile(request, response, name === "" ? PAGE : name);
    },
  };
}

/** Scripts and styles come from this server only. */
const policyOf = (origins: readonly string[]): readonly string[] => [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  ["connect-src 'self'", ...origins].join(" "),
  ...CLOSED_POLICY,
];

/** Whether a browser opens the address, rather than a script or a program: the page shows what the address names. */
const asksForPage = ({ headers }: ApiRequest): boolean =>
  parseAccept(headers.accept ?? "").some(({ type }) => type === "text/html");

async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  const [all, hashed] = await Promise.all([readdir(folder), readdir(join(folder, HASHED)).catch(() => [])]);
  return new Set([...all, ...hashed.map((name) => `${HASHED}${name}`)]);
}
