// The published schema of a running server: the documents of its own resources and those of aggregated API servers.

import type { Content } from "@orch/http-server";
import { errorFields, type Log, whenIdle } from "@orch/platform";
import type { OpenapiVersion } from "@orch/schema";
import { type DocumentInfo, JsonForm, ProtobufForm } from "./document-form";
import type { DocumentPiece, DocumentSource } from "./document-source";
import { JoinedDocument } from "./joined-document";
import { Slices } from "./slices";
import { Version2Document } from "./version2-document";
import { type Version3Document, Version3Documents } from "./version3-documents";

export interface PublishedSchemaDeps {
  readonly info: DocumentInfo;
  /** Sources, this server's own first. */
  readonly sources: (signal: AbortSignal) => readonly [DocumentSource, ...DocumentSource[]];
  readonly logger: Log;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
}

export type Form = "json" | "protobuf";

/** Makes the documents. */
export interface SchemaSource {
  version2(form: Form): Version2Source;
  version3Index(): Promise<Content>;
  /** @param path such as `apis/apps/v1` */
  version3Document(path: string, form: Form): Promise<Version3Document | undefined>;
  /** Whether this source makes the document of an aggregated API server that publishes none itself. Absent: never. */
  readonly makes?: (path: string) => boolean;
}

export interface Version2Source {
  /** Hash of what `content` returns; undefined while it is unknown. Does not make the document. */
  hash(): string | undefined;
  content(): Promise<Content>;
}

export class PublishedSchema implements SchemaSource {
  private readonly stopping = new AbortController();
  private readonly sources: readonly DocumentSource[];
  private readonly joined: Partial<Record<OpenapiVersion, Joined>> = {};
  private readonly version2Documents: Readonly<Record<Form, Version2Document>>;
  readonly version3: Version3Documents;
  private callOff: (() => void) | undefined;
  private preparing: Promise<void> | undefined;

  constructor(private readonly deps: PublishedSchemaDeps) {
    const { info } = deps;
    const { signal } = this.stopping;
    const slices = new Slices(signal);
    this.sources = deps.sources(signal);
    const version2 = (form: JsonForm | ProtobufForm) =>
      new Version2Document({
        pieces: () => this.pieces("v2"),
        joined: new JoinedDocument({
          version: "v2",
          form,
          slices,
          failed: (piece, error) => this.failed(error, piece),
        }),
        now: deps.now,
        failed: (error) => this.failed(error),
        signal,
      });
    this.version2Documents = {
      json: version2(new JsonForm("v2", info)),
      protobuf: version2(new ProtobufForm("v2", info)),
    };
    this.version3 = new Version3Documents({
      pieces: () => this.pieces("v3"),
      json: new JsonForm("v3", info),
      protobuf: new ProtobufForm("v3", info),
      slices,
    });
    for (const source of this.sources) source.onChange = () => this.changed();
  }

  /**
   * Makes the documents of built-in resources in the background. Requests for objects come first after a start; a
   * request for the schema does not wait for this.
   */
  start(): void {
    this.callOff = whenIdle(() => {
      this.preparing = this.prepare().catch((error: unknown) => this.failed(error));
    });
  }

  /** Resolves when no document is being made any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.callOff?.();
    const { json, protobuf } = this.version2Documents;
    await Promise.all([this.preparing, json.stopped(), protobuf.stopped(), this.version3.stopped()]);
  }

  version2(form: Form): Version2Document {
    return this.version2Documents[form];
  }

  version3Index(): Promise<Content> {
    return this.version3.indexContent();
  }

  version3Document(path: string, form: Form): Promise<Version3Document | undefined> {
    return this.version3.document(path, form);
  }

  private async prepare(): Promise<void> {
    const { json, protobuf } = this.version2Documents;
    await json.prepare();
    await protobuf.prepare();
    await this.version3.makeIndex();
  }

  private changed(): void {
    for (const each of Object.values(this.version2Documents)) each.changed();
  }

  private failed(error: unknown, piece?: DocumentPiece): void {
    if (this.stopping.signal.aborted) return;
    this.deps.logger.error("the published schema could not be built", {
      ...(piece && { of: piece.path }),
      ...errorFields(error),
    });
  }

  /** Pieces of all sources. Returns the same list as long as nothing has changed. */
  private pieces(version: OpenapiVersion): readonly DocumentPiece[] {
    const lists = this.sources.map((source) => source.pieces(version));
    const known = this.joined[version];
    if (known?.lists.every((list, at) => list === lists[at])) return known.pieces;
    const pieces = lists.length === 1 ? (lists[0] as readonly DocumentPiece[]) : firstOfPath(lists.flat());
    this.joined[version] = { lists, pieces };
    return pieces;
  }
}

interface Joined {
  readonly lists: readonly (readonly DocumentPiece[])[];
  readonly pieces: readonly DocumentPiece[];
}

function firstOfPath(pieces: readonly DocumentPiece[]): readonly DocumentPiece[] {
  const byPath = new Map<string, DocumentPiece>();
  for (const piece of pieces) if (!byPath.has(piece.path)) byPath.set(piece.path, piece);
  return [...byPath.values()];
}
