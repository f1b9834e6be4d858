// A document joined of pieces, in one format. The encoded content of each piece is kept, so that a change costs only
// the changed pieces and the joining. The kept bytes are views of the document itself; a document that is packed has
// only the places of its parts, and is unpacked by the next joining.

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

/** Parts by piece, in document order. */
type Parts = ReadonlyMap<DocumentPiece, readonly PartBytes[]>;

/** A part without bytes, which are in the document from `at`, or apart from it. */
interface Place {
  readonly section: Section;
  readonly name: string;
  readonly length: number;
  readonly at: number | Buffer;
}

interface PackedParts {
  readonly document: Content;
  readonly places: ReadonlyMap<DocumentPiece, readonly Place[]>;
}

export class JoinedDocument {
  private kept: Parts | PackedParts = new Map();
  /** The document of `kept`. */
  private document: Content | undefined;
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
    const { kept } = this;
    const known = isPacked(kept) ? kept.places : kept;
    if (known.has(first)) return;
    this.kept = new Map([[first, await this.made(first, NO_MODELS)]]);
    this.document = undefined;
  }

  /** @param pieces in document order */
  async join(pieces: readonly DocumentPiece[]): Promise<Content> {
    const [first] = pieces;
    // Models that other pieces omitted were in the first piece.
    if (first !== undefined) await this.prepare(first);
    const former = await this.unpacked();
    const models = new Set(namesOf(former.get(first as DocumentPiece) ?? [], "models"));
    const next = new Map<DocumentPiece, readonly PartBytes[]>();
    for (const piece of pieces) {
      const parts = former.get(piece) ?? (await this.tried(piece, models));
      if (parts !== undefined) next.set(piece, parts);
    }
    const bytes = await this.joined([...next.values()]);
    this.kept = next;
    const hash = this.hash(pieces.filter((piece) => next.has(piece))) ?? contentHash(bytes);
    this.document = new Content(bytes, hash, true);
    return this.document;
  }

  /** Keeps only the compressed document. The next joining needs it uncompressed for a moment. */
  async pack(): Promise<void> {
    const { document, kept } = this;
    if (document === undefined || isPacked(kept)) return;
    const bytes = await document.plain();
    await document.pack();
    const places = new Map<DocumentPiece, readonly Place[]>();
    for (const [piece, parts] of kept) {
      places.set(
        piece,
        parts.map((part) => placeOf(part, bytes)),
      );
      await this.of.slices.breathe();
    }
    // A joining that has begun keeps what it took, and replaces this.
    if (this.kept === kept) this.kept = { document, places };
  }

  /** Drops everything but the first piece. */
  async forget(): Promise<void> {
    const { kept } = this;
    const parts = await this.unpacked();
    if (this.kept !== kept) return;
    this.kept = new Map([...parts].slice(0, 1).map(([piece, parts]) => [piece, parts.map(apart)]));
    this.document = undefined;
  }

  private async unpacked(): Promise<Parts> {
    const { kept } = this;
    if (!isPacked(kept)) return kept;
    const bytes = await kept.document.plain();
    const parts = new Map<DocumentPiece, readonly PartBytes[]>();
    for (const [piece, places] of kept.places) {
      parts.set(
        piece,
        places.map((place) => partAt(place, bytes)),
      );
      await this.of.slices.breathe();
    }
    return parts;
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

const isPacked = (kept: Parts | PackedParts): kept is PackedParts => "places" in kept;

const placeOf = ({ section, name, bytes }: PartBytes, document: Buffer): Place => {
  const at = bytes.buffer === document.buffer ? bytes.byteOffset - document.byteOffset : bytes;
  return { section, name, length: bytes.length, at };
};

const partAt = ({ section, name, length, at }: Place, document: Buffer): PartBytes => ({
  section,
  name,
  bytes: typeof at === "number" ? document.subarray(at, at + length) : at,
});

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
