// `/docs`: a page for people that explores the published schema. It holds nothing secret: what it shows it asks of the API, with
// the visitor's own credentials. Its parts come from this package and from the explorer's, never from another host.
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { routerNotFound } from "@orch/machinery";
import type { PathHandler } from "../handlers/dispatch";
import { answerContent, Content, contentHash } from "../http/content-answer";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";

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

/** Only this server's scripts run, and they speak only to this server; the explorer draws icons from data addresses. */
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
  /** For the paths under the page's own. */
  readonly part: PathHandler;
}

export function docsHandlers(): DocsHandlers {
  /** Each is read at its first visit. */
  const contents = new Map<string, Promise<Content>>();

  function contentOf(name: string, part: PagePart): Promise<Content> {
    let content = contents.get(name);
    if (content === undefined) {
      content = readPart(name, part);
      // A file that cannot be read now may be there the next time.
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
    // Proxied pages are of the same origin: one that opens this page, or is opened by it, is to have no hold on it.
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
