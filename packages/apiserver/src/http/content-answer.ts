// Answers that clients may keep: bytes under a name of their content, so that asking again for what has not changed costs nothing.
import { createHash } from "node:crypto";
import { answerBytes } from "./answer";
import { wantsGzip } from "./compression";
import type { HttpRequest, HttpResponse } from "./exchange";

export interface Content {
  readonly bytes: Buffer;
  /** The bytes, compressed. Absent: they are sent as they are. */
  readonly gzipped?: Buffer;
  /** Of the bytes. */
  readonly hash: string;
}

/** Of content that is there in pieces. */
export class ContentHasher {
  private readonly sha256 = createHash("sha256");

  add(bytes: Buffer): void {
    this.sha256.update(bytes);
  }

  hash(): string {
    return this.sha256.digest("hex").toUpperCase();
  }
}

export function contentHash(bytes: Buffer): string {
  const hasher = new ContentHasher();
  hasher.add(bytes);
  return hasher.hash();
}

/** May be kept for ever: what is at the address never changes. */
export const IMMUTABLE = "public, immutable, max-age=31536000";

export interface ContentOptions {
  readonly contentType: string;
  /** Absent: clients ask again each time whether it has changed. */
  readonly cacheControl?: string;
}

export function answerContent(
  request: HttpRequest,
  response: HttpResponse,
  content: Content,
  { contentType, cacheControl }: ContentOptions,
): void {
  response.setHeader("ETag", `"${content.hash}"`);
  response.setHeader("Vary", content.gzipped === undefined ? "Accept" : "Accept, Accept-Encoding");
  if (isKnown(request, content.hash)) {
    answerBytes(response, 304, contentType, NOTHING, cacheControl);
    return;
  }
  const { gzipped } = content;
  const compressed = gzipped !== undefined && wantsGzip(request);
  if (compressed) response.setHeader("Content-Encoding", "gzip");
  answerBytes(response, 200, contentType, compressed ? gzipped : content.bytes, cacheControl);
}

const NOTHING = Buffer.alloc(0);

/** Whether the client says that it has the content. */
function isKnown(request: HttpRequest, hash: string): boolean {
  const known = request.headers["if-none-match"];
  if (known === undefined) return false;
  return known.split(",").some((tag) => {
    const name = tag.trim().replace(/^W\//, "");
    return name === "*" || name === `"${hash}"`;
  });
}
