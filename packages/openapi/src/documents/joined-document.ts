// A document joined of pieces, in one format. The encoded content of each piece is kept, so that a change costs only
// the changed pieces and the joining. The kept bytes are views of the document itself.

import { Content, ContentHasher, contentHash } from "@orch/http-server";
import type { OpenapiVersion } from "@orch/schema";
import { bytesOf, type Chunk, type DocumentForm, type PartBytes, type Section } from "./document-form";
import type { DocumentPiece } from "./document-source";
import type { Slices } from "./slices";

export interface JoinedDocumentParts {
  readonly version: OpenapiVersion;
  readonly form: DocumentForm;
  readonly slices: Slices;
  /** Called for a piece that cannot be made and is left out. */
  readonly failed: (piece: DocumentPiece, error: unknown) => void;
}

export class JoinedDocument {
  private kept = new Map<DocumentPiece, readonly PartBytes[]>();
  /** Hashes of pieces without a hash of their own. */
  private readonly hashes = new WeakMap<DocumentPiece, string>();

  constructor(private readonly of: JoinedDocumentParts) {}

  /** Hash of the document that `join` makes; undefined while it is unknown. */
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

  /** Makes the first piece ahead of time, which shortens `join`. */
  async prepare(first: DocumentPiece): Promise<void> {
    if (!this.kept.has(first)) this.kept = new Map([[first, await this.made(first, NO_MODELS)]]);
  }

  /** @param pieces in document order */
  async join(pieces: readonly DocumentPiece[]): Promise<Content> {
    const [first] = pieces;
    // Models that other pieces omitted were in the first piece.
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

  /** Drops everything but the first piece. */
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

  /** Joins the parts without duplicates. Large documents have megabytes and are copied chunk by chunk. */
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

/** Copies the bytes, so that they do not keep the document alive. */
const apart = (part: PartBytes): PartBytes => ({ ...part, bytes: Buffer.from(part.bytes) });

function bySection(pieces: readonly (readonly PartBytes[])[]): Readonly<Record<Section, readonly PartBytes[]>> {
  const found = bySectionOf(() => new Map<string, PartBytes>());
  for (const parts of pieces) {
    for (const part of parts) {
      const { section, name } = part;
      if (!found[section].has(name)) found[section].set(name, part);
      // A part that is not in the document must not keep the former document alive.
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
