// The documents of version 3, one a piece, and the index that says where each is. The address of a document names its content: it is known
// of definitions without making their documents, which are made when somebody asks, and a few megabytes of them kept.
import { Content, contentHash } from "../http/content-answer";
import type { DocumentForm } from "./document-form";
import type { DocumentPiece } from "./document-source";
import { JoinedDocument } from "./joined-document";
import type { Slices } from "./slices";

/** Of documents whose content is known without them. */
const KEPT_BYTES = 16 * 1024 * 1024;

export interface Version3Parts {
  readonly pieces: () => readonly DocumentPiece[];
  readonly json: DocumentForm;
  readonly protobuf: DocumentForm;
  readonly slices: Slices;
}

export interface Version3Document {
  /** In its address. */
  readonly hash: string;
  /** Of the content in its form. */
  readonly tag: string;
  readonly content: () => Promise<Content>;
}

type Form = DocumentForm["name"];

export class Version3Documents {
  private index: { readonly of: readonly DocumentPiece[]; readonly content: Content } | undefined;
  private byPath:
    | { readonly of: readonly DocumentPiece[]; readonly pieces: ReadonlyMap<string, DocumentPiece> }
    | undefined;
  /** Of pieces that do not say their hash, for as long as they are there. */
  private readonly own: Readonly<Record<Form, WeakMap<DocumentPiece, Promise<Content>>>> = {
    json: new WeakMap(),
    protobuf: new WeakMap(),
  };
  private readonly hashes = new WeakMap<DocumentPiece, string>();
  /** The one that was asked for last is the last. */
  private readonly kept = new Map<string, Content>();
  private keptBytes = 0;
  private making: Promise<Content> | undefined;

  constructor(private readonly of: Version3Parts) {}

  /** Where each document is: as it is now, or was before a change while documents have to be made for it. Waits for the first one only. */
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

  /** Makes the documents that have to be made before the index can be told, and the index. */
  makeIndex(): Promise<Content> {
    this.making ??= this.makeIndexNow().finally(() => {
      this.making = undefined;
    });
    return this.making;
  }

  /** Resolves once nothing is being made any more. */
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
    const content = this.kept.get(key) ?? (await this.made(piece, form));
    if (this.kept.delete(key)) this.keptBytes -= content.bytes.length;
    this.kept.set(key, content);
    this.keptBytes += content.bytes.length;
    for (const [oldest, { bytes }] of this.kept) {
      if (this.keptBytes <= KEPT_BYTES) break;
      this.kept.delete(oldest);
      this.keptBytes -= bytes.length;
    }
    return content;
  }

  private async made(piece: DocumentPiece, name: Form): Promise<Content> {
    const { slices } = this.of;
    const failed = (_: DocumentPiece, error: unknown) => {
      throw error;
    };
    const { bytes } = await new JoinedDocument({ version: "v3", form: this.of[name], slices, failed }).join([piece]);
    const hash = this.hashOf(piece) ?? (name === "json" ? contentHash(bytes) : await this.contentHashOf(piece));
    return new Content(bytes, tagOf(hash, name), true);
  }
}

/** A form is other content. */
const tagOf = (hash: string, form: Form) => (form === "json" ? hash : contentHash(Buffer.from(`${form} ${hash}`)));

/** Under which a document may be kept for ever. */
export const version3Url = (path: string, hash: string) => `/openapi/v3/${path}?hash=${hash}`;
