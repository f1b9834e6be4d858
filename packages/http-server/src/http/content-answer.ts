// Cacheable answers with an ETag of their content, so that a repeated request for unchanged content costs little.
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { createGunzip, gzip } from "node:zlib";
import { answerBytes } from "./answer";
import { wantsGzip } from "./compression";
import type { HttpRequest, HttpResponse } from "./exchange";

const compressed = promisify(gzip);

/** Size of the steps in which content is decompressed. Between steps the event loop turns. */
const STEP_BYTES = 256 * 1024;

/** Content that is compressed once, on first use. Its owner can reduce it to the compressed form. */
export class Content {
  /** Size of the uncompressed bytes. */
  readonly size: number;
  private bytes: Buffer | undefined;
  private zipped: Promise<Buffer> | undefined;
  /** Bytes of packed content, as long as a reader has them. */
  private shared: WeakRef<Buffer> | undefined;
  private unpacking: Promise<Buffer> | undefined;

  /** @param hash hash of the bytes, or of all their inputs */
  constructor(
    bytes: Buffer,
    readonly hash: string,
    /** Whether compression is worthwhile. */
    readonly compresses: boolean,
  ) {
    this.bytes = bytes;
    this.size = bytes.length;
  }

  /** Returns the uncompressed bytes. Readers at the same time share them. */
  plain(): Promise<Buffer> {
    const bytes = this.bytes ?? this.shared?.deref();
    if (bytes !== undefined) return Promise.resolve(bytes);
    this.unpacking ??= this.unpacked().finally(() => {
      this.unpacking = undefined;
    });
    return this.unpacking;
  }

  gzipped(): Promise<Buffer> {
    this.zipped ??= this.plain().then((bytes) => compressed(bytes));
    return this.zipped;
  }

  /** Keeps only the compressed form from now on. @returns its size in bytes */
  async pack(): Promise<number> {
    const { length } = await this.gzipped();
    if (this.bytes !== undefined) this.shared = new WeakRef(this.bytes);
    this.bytes = undefined;
    return length;
  }

  private async unpacked(): Promise<Buffer> {
    const zipped = await this.gzipped();
    const bytes = Buffer.allocUnsafeSlow(this.size);
    const unzip = createGunzip({ chunkSize: STEP_BYTES });
    unzip.end(zipped);
    let at = 0;
    for await (const step of unzip) at += (step as Buffer).copy(bytes, at);
    this.shared = new WeakRef(bytes);
    return bytes;
  }
}

/** Hashes content in pieces. */
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

/** Cache-Control of addresses whose content never changes. */
export const IMMUTABLE = "public, immutable, max-age=31536000";

export interface ContentOptions {
  readonly contentType: string;
  /** Absent: clients revalidate each time. */
  readonly cacheControl?: string | undefined;
}

export async function answerContent(
  request: HttpRequest,
  response: HttpResponse,
  content: Content,
  { contentType, cacheControl }: ContentOptions,
): Promise<void> {
  if (answerKnown(request, response, content, { contentType, cacheControl })) return;
  const isCompressed = content.compresses && wantsGzip(request);
  const bytes = isCompressed ? await content.gzipped() : await content.plain();
  if (isCompressed) response.setHeader("Content-Encoding", "gzip");
  answerBytes(response, 200, contentType, bytes, cacheControl);
}

/** Answers 304 when the client has the content, which need not exist yet. @returns whether it did */
export function answerKnown(
  request: HttpRequest,
  response: HttpResponse,
  { hash, compresses }: Pick<Content, "hash" | "compresses">,
  { contentType, cacheControl }: ContentOptions,
): boolean {
  response.setHeader("ETag", `"${hash}"`);
  response.setHeader("Vary", compresses ? "Accept, Accept-Encoding" : "Accept");
  if (!isKnown(request, hash)) return false;
  answerBytes(response, 304, contentType, NOTHING, cacheControl);
  return true;
}

const NOTHING = Buffer.alloc(0);

/** Whether the client has the content. */
function isKnown(request: HttpRequest, hash: string): boolean {
  const known = request.headers["if-none-match"];
  if (known === undefined) return false;
  return known.split(",").some((tag) => {
    const name = tag.trim().replace(/^W\//, "");
    return name === "*" || name === `"${hash}"`;
  });
}
