// `/docs`: a page that explores the published schema. It contains nothing confidential: it reads the API with the
// visitor's own credentials. Its assets come from this package and from the explorer's package, never from another
// host.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { answerContent, Content, contentHash } from "@orch/http-server";
import { routerNotFound } from "@orch/machinery";
import type { ApiRequest, ApiResponse } from "@orch/request";
import type { PathHandler } from "./dispatch";

const OWN = join(__dirname, "../../pages/docs");
const EXPLORER = "swagger-ui-dist";

interface PagePart {
  readonly contentType: string;
  readonly from: "own" | "explorer";
}

const HTML = "text/html; charset=utf-8";
const STYLE = "text/css; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";

const PARTS: Readonly<Record<string, PagePart>> = {
  "index.html": { contentType: HTML, from: "own" },
  "page.css": { contentType: STYLE, from: "own" },
  "page.js": { contentType: SCRIPT, from: "own" },
  "watch.js": { contentType: SCRIPT, from: "own" },
  "swagger-ui.css": { contentType: STYLE, from: "explorer" },
  "swagger-ui-bundle.js": { contentType: SCRIPT, from: "explorer" },
};

/** Scripts come from this server only and connect to this server only; the explorer uses icons in data URLs. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface DocsHandlers {
  readonly page: PathHandler;
  /** Handler of the paths below the page. */
  readonly part: PathHandler;
}

export function docsHandlers(): DocsHandlers {
  /** Read on first use. */
  const contents = new Map<string, Promise<Content>>();

  function contentOf(name: string, part: PagePart): Promise<Content> {
    let content = contents.get(name);
    if (content === undefined) {
      content = readPart(name, part);
      // A file that cannot be read may be readable on the next request.
      content.catch(() => contents.delete(name));
      contents.set(name, content);
    }
    return content;
  }

  async function answerPart(request: ApiRequest, response: ApiResponse, name: string): Promise<void> {
    const part = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (part === undefined) throw routerNotFound();
    const content = await contentOf(name, part);
    response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    // Proxied pages have the same origin; they must not get access to this page's window.
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
    await answerContent(request, response, content, { contentType: part.contentType });
  }

  return {
    page: (request, response) => answerPart(request, response, "index.html"),
    part: (request, response) => answerPart(request, response, request.context.info.path.slice("/docs/".length)),
  };
}

async function readPart(name: string, { from }: PagePart): Promise<Content> {
  const folder = from === "own" ? OWN : dirname(require.resolve(`${EXPLORER}/package.json`));
  const bytes = await readFile(join(folder, name));
  return new Content(bytes, contentHash(bytes), true);
}
