// Answers with the files of the pages for browsers, /docs and /ui. Their files contain nothing confidential: a page reads
// the API with the visitor's own credentials.
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { answerContent, Content, type ContentOptions, contentHash } from "@orch/http-server";
import type { ApiRequest, ApiResponse } from "@orch/request";

/** Media type of each kind of file, by the end of its name. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};
/** Kinds of files that are compressed already. */
const COMPRESSED: ReadonlySet<string> = new Set([".png", ".woff2"]);

/** Returns undefined for a file that pages do not consist of. */
export const pageType = (name: string): string | undefined => TYPES[extname(name)];

/** Files that are read, and compressed, when they are first asked for. */
export class PageFiles {
  private readonly contents = new Map<string, Promise<Content>>();

  /** @param path of the file, which the caller has chosen from the files that there are */
  content(path: string): Promise<Content> {
    let content = this.contents.get(path);
    if (content === undefined) {
      content = read(path);
      // A file that cannot be read may be readable on the next request.
      content.catch(() => this.contents.delete(path));
      this.contents.set(path, content);
    }
    return content;
  }
}

async function read(path: string): Promise<Content> {
  const bytes = await readFile(path);
  return new Content(bytes, contentHash(bytes), !COMPRESSED.has(extname(path)));
}

/** @param policy directives of the Content-Security-Policy header */
export async function answerPage(
  request: ApiRequest,
  response: ApiResponse,
  content: Content,
  { policy, ...options }: ContentOptions & { readonly policy: readonly string[] },
): Promise<void> {
  response.setHeader("Content-Security-Policy", policy.join("; "));
  for (const [name, value] of PAGE_HEADERS) response.setHeader(name, value);
  await answerContent(request, response, content, options);
}

const PAGE_HEADERS = [
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  // Proxied pages have the same host; they must not get access to this page's window.
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  [
    "Permissions-Policy",
    ["camera", "display-capture", "geolocation", "microphone", "payment", "usb"].map((each) => `${each}=()`).join(", "),
  ],
] as const;

/** Directives that every page has: no frames, no forms, no addresses relative to another one. */
export const CLOSED_POLICY = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];
