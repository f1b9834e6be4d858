// All published schema documents of what the server serves at one time, made in slices: some thousand steps, each well below a
// millisecond.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { existsIn } from "@orch/machinery";
import { type Field, MessageWriter, type OpenapiVersion, type Schema } from "@orch/schema";
import { type Content, ContentHasher } from "../http/content-answer";
import type { Route } from "../routes/resource-route";
import { type DocumentInfo, JsonDocument, ProtobufDocument } from "./assemble-document";
import { discoveryOperations } from "./discovery-operations";
import { documentParts, type PartsSource } from "./document-parts";
import type { Operation } from "./operation";
import { productSuffix } from "./operation-names";
import { operationsOf } from "./operations";
import { kindsWithin, servedKinds } from "./served-kinds";
import { Slices } from "./slices";

export interface PublishedDocument {
  readonly json: Required<Content>;
  /** Made when first asked for. */
  protobuf(): Promise<Required<Content>>;
}

export interface Version3Documents {
  /** By path, such as `apis/apps/v1`. */
  readonly byPath: ReadonlyMap<string, PublishedDocument>;
  /** Where each document is. */
  readonly index: Required<Content>;
}

export interface ServedSource {
  readonly schema: Schema;
  /** Whose API it is, such as `1.23`: what is newer, or was gone before, is not shown. */
  readonly release: string;
  readonly info: DocumentInfo;
  readonly routes: readonly Route[];
  /** Nobody waits for the documents any more. */
  readonly signal: AbortSignal;
}

/** The documents of what is served at one time. */
export class DocumentMaker {
  private constructor(
    private readonly info: DocumentInfo,
    private readonly source: PartsSource,
    private readonly slices: Slices,
  ) {}

  static async of(served: ServedSource): Promise<DocumentMaker> {
    const { schema, release, info, routes, signal } = served;
    const slices = new Slices(signal);
    const shows = (field: Field) => existsIn(field, release);
    const operations = await allOperations(served, shows, slices);
    return new DocumentMaker(info, { schema, operations, shows, kindsOf: servedKinds(schema, routes) }, slices);
  }

  version2(): Promise<PublishedDocument> {
    return document("v2", this.info, this.source, this.slices);
  }

  async version3(): Promise<Version3Documents> {
    const documents = new Map<string, PublishedDocument>();
    for (const [path, operations] of byDocument(this.source.operations)) {
      const source = { ...this.source, operations, kindsOf: kindsWithin(this.source.kindsOf, path) };
      documents.set(path, await document("v3", this.info, source, this.slices));
    }
    return { byPath: documents, index: await contentOf([indexOf(documents)], this.slices) };
  }
}

async function allOperations(
  { schema, routes }: ServedSource,
  shows: PartsSource["shows"],
  slices: Slices,
): Promise<readonly Operation[]> {
  const naming = { schema, productSuffix: productSuffix(schema.vocabulary) };
  const served = new Map(routes.map(({ version }) => [`${version.group}/${version.version}`, version]));
  const operations = [...discoveryOperations([...served.values()], naming)];
  await slices.breathe();
  for (const route of routes) {
    operations.push(...operationsOf(route, naming, shows));
    await slices.breathe();
  }
  return operations;
}

function byDocument(operations: readonly Operation[]): readonly (readonly [string, readonly Operation[]])[] {
  const documents = new Map<string, Operation[]>();
  for (const operation of operations) {
    const known = documents.get(operation.document);
    if (known === undefined) documents.set(operation.document, [operation]);
    else known.push(operation);
  }
  return [...documents].sort(([a], [b]) => (a < b ? -1 : 1));
}

function indexOf(documents: ReadonlyMap<string, PublishedDocument>): Buffer {
  const paths = [...documents].map(([path, { json }]) => [path, { serverRelativeURL: version3Url(path, json.hash) }]);
  return Buffer.from(JSON.stringify({ paths: Object.fromEntries(paths) }));
}

/** Under which a document may be kept for ever. */
export const version3Url = (path: string, hash: string) => `/openapi/v3/${path}?hash=${hash}`;

async function document(
  version: OpenapiVersion,
  info: DocumentInfo,
  source: PartsSource,
  slices: Slices,
): Promise<PublishedDocument> {
  const json = new JsonDocument(version, info);
  for (const part of documentParts(version, source)) {
    json.add(part);
    await slices.breathe();
  }
  const made = await contentOf(json.pieces(), slices);
  let protobuf: Promise<Required<Content>> | undefined;
  return {
    json: made,
    protobuf() {
      protobuf ??= protobufDocument(version, info, source, slices);
      return protobuf;
    },
  };
}

async function protobufDocument(
  version: OpenapiVersion,
  info: DocumentInfo,
  source: PartsSource,
  slices: Slices,
): Promise<Required<Content>> {
  const made = new ProtobufDocument(version, info, new MessageWriter(version));
  for (const part of documentParts(version, source)) {
    made.add(part);
    await slices.breathe();
  }
  return contentOf(made.pieces(), slices);
}

const compressed = promisify(gzip);

/** Large documents are megabytes: they are hashed and joined piece by piece too. */
export async function contentOf(made: Iterable<Buffer>, slices: Slices): Promise<Required<Content>> {
  const pieces = [...made];
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((length, piece) => length + piece.length, 0));
  const hasher = new ContentHasher();
  let length = 0;
  for (const piece of pieces) {
    hasher.add(piece);
    length += piece.copy(bytes, length);
    await slices.breathe();
  }
  return { bytes, gzipped: await compressed(bytes), hash: hasher.hash() };
}
