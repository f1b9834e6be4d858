// A document that is joined of pieces, in one form. What a piece has given is kept as bytes, so that a change costs what has changed, and
// the joining; the bytes that are kept are those of the document itself.

import type { OpenapiVersion } from "@orch/schema";
import { Content, ContentHasher, contentHash } from "../http/content-answer";
import { bytesOf, type Chunk, type DocumentForm, type PartBytes, type Section } from "./document-form";
import type { DocumentPiece } from "./document-source";
import type { Slices } from "./slices";

export interface JoinedDocumentParts {
  readonly version: OpenapiVersion;
  readonly form: DocumentForm;
  readonly slices: Slices;
  /** Told of a piece that cannot be made, and is left out. */
  readonly failed: (piece: DocumentPiece, error: unknown) => void;
}

export class JoinedDocument {
  private kept = new Map<DocumentPiece, readonly PartBytes[]>();
  /** Of pieces that do not say theirs. */
  private readonly hashes = new WeakMap<DocumentPiece, string>();

  constructor(private readonly of: JoinedDocumentParts) {}

  /** Of the document that `join` makes; undefined while it is not known. */
  hash(pieces: readonly DocumentPiece[]): string | undefined {
    const hasher = new ContentHasher();
    hasher.add(Buffer.from(`${this.of.version} ${this.of.form.name}`));
    for (const piece of pieces) {
      const hash = piece.hash ?? this.hashes.get(piece);
      if (hash === undefined) return undefined;
      hasher.add(Buffer.from(`\n${piece.path} ${hash}`));
    }
    return hasher.hash();
  }

  /** Makes what `join` begins with, so that it takes less long. */
  async prepare(first: DocumentPiece): Promise<void> {
    if (!this.kept.has(first)) this.kept = new Map([[first, await this.made(first, NO_MODELS)]]);
  }

  /** @param pieces in the order in which the document has them */
  async join(pieces: readonly DocumentPiece[]): Promise<Content> {
    const [first] = pieces;
    // What others left out was in the first one.
    if (first !== undefined) await this.prepare(first);
    const former = this.kept;
    const models = new Set(namesOf(former.get(first as DocumentPiece) ?? [], "models"));
    const next = new Map<DocumentPiece, readonly PartBytes[]>();
    for (const piece of pieces) {
      const parts = former.get(piece) ?? (await this.tried(piece, models));
      if (parts !== undefined) next.set(piece, parts);
    }
    this.kept = next;
    const bytes = await this.joined([...next.values()]);
    return new Content(bytes, this.hash(pieces.filter((piece) => next.has(piece))) ?? contentHash(bytes), true);
  }

  /** Keeps nothing but the first piece. */
  forget(): void {
    this.kept = new Map([...this.kept].slice(0, 1).map(([piece, parts]) => [piece, parts.map(apart)]));
  }

  private async tried(piece: DocumentPiece, models: ReadonlySet<string>): Promise<readonly PartBytes[] | undefined> {
    try {
      return await this.made(piece, models);
    } catch (error) {
      this.of.failed(piece, error);
      return undefined;
    }
  }

  private async made(piece: DocumentPiece, models: ReadonlySet<string>): Promise<readonly PartBytes[]> {
    const { version, form, slices } = this.of;
    const parts: PartBytes[] = [];
    for await (const part of piece.parts(version, (model) => models.has(model))) {
      await slices.breathe();
      if (part === undefined) continue;
      parts.push({ section: part.section, name: part.name, bytes: form.part(part) });
      await slices.breathe();
    }
    parts.sort((one, other) => (one.name < other.name ? -1 : 1));
    if (piece.hash === undefined) {
      const hasher = new ContentHasher();
      for (const { bytes } of parts) hasher.add(bytes);
      this.hashes.set(piece, hasher.hash());
    }
    return parts;
  }

  /** Each part once; large documents are megabytes, and are put together chunk by chunk too. */
  private async joined(pieces: readonly (readonly PartBytes[])[]): Promise<Buffer> {
    const { form, slices } = this.of;
    const chunks: Chunk[] = [];
    let length = 0;
    for (const chunk of form.chunks(bySection(pieces))) {
      chunks.push(chunk);
      length += bytesOf(chunk).length;
      await slices.breathe();
    }
    const bytes = Buffer.allocUnsafeSlow(length);
    let at = 0;
    for (const chunk of chunks) {
      const end = at + bytesOf(chunk).copy(bytes, at);
      if (!Buffer.isBuffer(chunk)) chunk.bytes = bytes.subarray(at, end);
      at = end;
      await slices.breathe();
    }
    return bytes;
  }
}

const NO_MODELS: ReadonlySet<string> = new Set();

const namesOf = (parts: readonly PartBytes[], section: Section): readonly string[] =>
  parts.filter((part) => part.section === section).map(({ name }) => name);

/** Bytes of their own, so that no document is kept for their sake. */
const apart = (part: PartBytes): PartBytes => ({ ...part, bytes: Buffer.from(part.bytes) });

function bySection(pieces: readonly (readonly PartBytes[])[]): Readonly<Record<Section, readonly PartBytes[]>> {
  const found = bySectionOf(() => new Map<string, PartBytes>());
  for (const parts of pieces) {
    for (const part of parts) {
      const { section, name } = part;
      if (!found[section].has(name)) found[section].set(name, part);
      // One that is not shown is not to keep the document in which it was.
      else part.bytes = Buffer.from(part.bytes);
    }
  }
  return bySectionOf((section) => [...found[section].values()]);
}

const bySectionOf = <T>(of: (section: Section) => T): Record<Section, T> => ({
  paths: of("paths"),
  parameters: of("parameters"),
  models: of("models"),
  securitySchemes: of("securitySchemes"),
});
