// The OpenAPI 3.0 documents, one per piece, and the index of them. The address of a document contains its hash, which
// is known for custom resource definitions without making the document. Documents are made on request, and a few
// megabytes of them are kept, compressed to about a tenth.
import { Content, contentHash } from "@orch/http-server";
import type { DocumentForm } from "./document-form";
import type { DocumentPiece } from "./document-source";
import { JoinedDocument } from "./joined-document";
import type { Slices } from "./slices";

/** Limit of kept documents whose hash is known without them, in bytes of their present form. */
const KEPT_BYTES = 8 * 1024 * 1024;

export interface Version3Parts {
  readonly pieces: () => readonly DocumentPiece[];
  readonly json: DocumentForm;
  readonly protobuf: DocumentForm;
  readonly slices: Slices;
}

export interface Version3Document {
  /** Hash in the document's address. */
  readonly hash: string;
  /** ETag of the encoded content. */
  readonly tag: string;
  readonly content: () => Promise<Content>;
}

type Form = DocumentForm["name"];

interface KeptContent {
  readonly content: Content;
  /** Size in bytes, which is reduced when the content is packed. */
  size: number;
}

export class Version3Documents {
  private index: { readonly of: readonly DocumentPiece[]; readonly content: Content } | undefined;
  private byPath:
    | { readonly of: readonly DocumentPiece[]; readonly pieces: ReadonlyMap<string, DocumentPiece> }
    | undefined;
  /** Documents of pieces without a hash of their own, kept as long as the pieces. */
  private readonly own: Readonly<Record<Form, WeakMap<DocumentPiece, Promise<Content>>>> = {
    json: new WeakMap(),
    protobuf: new WeakMap(),
  };
  private readonly hashes = new WeakMap<DocumentPiece, string>();
  /** Kept documents, least recently used first. */
  private readonly kept = new Map<string, KeptContent>();
  private keptBytes = 0;
  private making: Promise<Content> | undefined;

  constructor(private readonly of: Version3Parts) {}

  /**
   * Returns the index. While documents must be made for a new one, returns the index from before the change. Only the
   * first request waits.
   */
  async indexContent(): Promise<Content> {
    const pieces = this.of.pieces();
    if (this.index?.of === pieces) return this.index.content;
    if (pieces.every((piece) => this.hashOf(piece) !== undefined)) return this.indexNow(pieces);
    const making = this.makeIndex();
    return this.index === undefined ? making : this.index.content;
  }

  /** @param path such as `apis/apps/v1` */
  async document(path: string, form: Form): Promise<Version3Document | undefined> {
    const pieces = this.of.pieces();
    if (this.byPath?.of !== pieces)
      this.byPath = { of: pieces, pieces: new Map(pieces.map((piece) => [piece.path, piece])) };
    const piece = this.byPath.pieces.get(path);
    if (piece === undefined) return undefined;
    const hash = this.hashOf(piece) ?? (await this.contentHashOf(piece));
    return { hash, tag: tagOf(hash, form), content: () => this.content(piece, form) };
  }

  /** Makes the documents whose hash the index needs, and the index. */
  makeIndex(): Promise<Content> {
    this.making ??= this.makeIndexNow().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  /** Resolves when no document is being made any more. */
  async stopped(): Promise<void> {
    await this.making?.catch(() => undefined);
  }

  private async makeIndexNow(): Promise<Content> {
    for (;;) {
      const pieces = this.of.pieces();
      for (const piece of pieces) if (this.hashOf(piece) === undefined) await this.contentHashOf(piece);
      if (pieces === this.of.pieces() || pieces.every((piece) => this.hashOf(piece))) return this.indexNow(pieces);
    }
  }

  private indexNow(pieces: readonly DocumentPiece[]): Content {
    const paths = [...pieces]
      .sort((one, other) => (one.path < other.path ? -1 : 1))
      .map((piece) => [piece.path, { serverRelativeURL: version3Url(piece.path, this.hashOf(piece) ?? "") }]);
    const bytes = Buffer.from(JSON.stringify({ paths: Object.fromEntries(paths) }));
    this.index = { of: pieces, content: new Content(bytes, contentHash(bytes), true) };
    return this.index.content;
  }

  private hashOf(piece: DocumentPiece): string | undefined {
    return piece.hash ?? this.hashes.get(piece);
  }

  private async contentHashOf(piece: DocumentPiece): Promise<string> {
    const { hash } = await this.content(piece, "json");
    this.hashes.set(piece, hash);
    return hash;
  }

  private content(piece: DocumentPiece, form: Form): Promise<Content> {
    return piece.hash === undefined ? this.ownContent(piece, form) : this.keptContent(piece, form);
  }

  private ownContent(piece: DocumentPiece, form: Form): Promise<Content> {
    const own = this.own[form];
    let content = own.get(piece);
    if (content === undefined) {
      content = this.made(piece, form);
      content.catch(() => own.delete(piece));
      own.set(piece, content);
    }
    return content;
  }

  private async keptContent(piece: DocumentPiece, form: Form): Promise<Content> {
    const key = `${form} ${piece.path} ${piece.hash}`;
    let used = this.kept.get(key);
    if (used === undefined) {
      const content = await this.made(piece, form);
      // The first reader does not wait for the compression, which another thread carries out.
      used = { content, size: content.size };
      this.pack(used, key).catch(ignored);
    }
    this.drop(key);
    this.kept.set(key, used);
    this.keptBytes += used.size;
    for (const oldest of this.kept.keys()) {
      if (this.keptBytes <= KEPT_BYTES || oldest === key) break;
      this.drop(oldest);
    }
    return used.content;
  }

  private async pack(kept: KeptContent, key: string): Promise<void> {
    const packed = await kept.content.pack();
    if (this.kept.get(key) === kept) this.keptBytes += packed - kept.size;
    kept.size = packed;
  }

  private drop(key: string): void {
    this.keptBytes -= this.kept.get(key)?.size ?? 0;
    this.kept.delete(key);
  }

  private async made(piece: DocumentPiece, name: Form): Promise<Content> {
    const { slices } = this.of;
    const failed = (_: DocumentPiece, error: unknown) => {
      throw error;
    };
    const joined = new JoinedDocument({ version: "v3", form: this.of[name], slices, failed });
    const bytes = await (await joined.join([piece])).plain();
    const hash = this.hashOf(piece) ?? (name === "json" ? contentHash(bytes) : await this.contentHashOf(piece));
    return new Content(bytes, tagOf(hash, name), true);
  }
}

/** Content that cannot be compressed stays as it is. */
const ignored = (): void => {};

/** Each format has a tag of its own. */
const tagOf = (hash: string, form: Form) => (form === "json" ? hash : contentHash(Buffer.from(`${form} ${hash}`)));

/** Address under which a client may cache the document forever. */
export const version3Url = (path: string, hash: string) => `/openapi/v3/${path}?hash=${hash}`;
