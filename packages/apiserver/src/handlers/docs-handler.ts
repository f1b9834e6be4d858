// `/docs`: a page that explores the published schema. Its assets come from this package and from the explorer's package,
// never from another host.
import { dirname, join } from "node:path";
import { routerNotFound } from "@orch/machinery";
import type { ApiRequest, ApiResponse } from "@orch/request";
import type { PathHandler } from "./dispatch";
import { answerPage, CLOSED_POLICY, PageFiles, pageType } from "./page-answer";

/** Address of the explorer. */
export const EXPLORER_PATH = "/docs";

const OWN = join(__dirname, "../../pages/docs");
const EXPLORER = "swagger-ui-dist";

const PARTS: Readonly<Record<string, "own" | "explorer">> = {
  "index.html": "own",
  "accessible.js": "own",
  "page.css": "own",
  "page.js": "own",
  "search.js": "own",
  "search-index.js": "own",
  "shared-sign-in.js": "own",
  "watch.js": "own",
  "swagger-ui.css": "explorer",
  "swagger-ui-bundle.js": "explorer",
};

/** Scripts come from this server only and connect to this server only; the explorer uses icons in data URLs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  ...CLOSED_POLICY,
];

export interface DocsHandlers {
  readonly page: PathHandler;
  /** Handler of the paths below the page. */
  readonly part: PathHandler;
}

export function docsHandlers(): DocsHandlers {
  const files = new PageFiles();

  async function answerPart(request: ApiRequest, response: ApiResponse, name: string): Promise<void> {
    const from = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (from === undefined) throw routerNotFound();
    const folder = from === "own" ? OWN : dirname(require.resolve(`${EXPLORER}/package.json`));
    const content = await files.content(join(folder, name));
    await answerPage(request, response, content, { contentType: pageType(name) ?? "", policy: POLICY });
  }

  return {
    page: (request, response) => answerPart(request, response, "index.html"),
    part: (request, response) =>
      answerPart(request, response, request.context.info.path.slice(`${EXPLORER_PATH}/`.length)),
  };
}
