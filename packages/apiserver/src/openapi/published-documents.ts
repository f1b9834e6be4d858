// All published schema documents of what the server serves at one time.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { MessageWriter, type OpenapiVersion, type Schema } from "@orch/schema";
import type { Route } from "../handlers/resource-route";
import { type Content, contentHash } from "../http/content-answer";
import { type DocumentInfo, JsonDocument, ProtobufDocument } from "./assemble-document";
import { documentParts, type PartsSource } from "./document-parts";
import { discoveryOperations, type Operation, operationsOf, productSuffix } from "./operations";
import { servedKinds } from "./served-kinds";
import { Slices } from "./slices";

export interface PublishedDocument {
  readonly json: Required<Content>;
  /** Made when first asked for. */
  protobuf(): Promise<Required<Content>>;
}

export interface PublishedDocuments {
  readonly version2: PublishedDocument;
  /** By path, such as `apis/apps/v1`. */
  readonly version3: ReadonlyMap<string, PublishedDocument>;
  /** Of version 3: where each document is. */
  readonly index: Required<Content>;
}

export interface DocumentsSource {
  readonly schema: Schema;
  readonly info: DocumentInfo;
  readonly routes: readonly Route[];
}

/** Works in slices: a few hundred steps, each well below a millisecond. */
export async function publishedDocuments({ schema, info, routes }: DocumentsSource): Promise<PublishedDocuments> {
  const slices = new Slices();
  const operations = await allOperations(schema, routes, slices);
  const kindsOf = servedKinds(schema, routes);
  const version2 = await document("v2", info, { schema, operations, kindsOf }, slices);
  // Clients of the command line ask for this form first of all.
  await version2.protobuf();
  const version3 = new Map<string, PublishedDocument>();
  for (const [path, own] of byDocument(operations)) {
    version3.set(path, await document("v3", info, { schema, operations: own, kindsOf }, slices));
  }
  return { version2, version3, index: await contentOf(indexOf(version3)) };
}

async function allOperations(schema: Schema, routes: readonly Route[], slices: Slices): Promise<readonly Operation[]> {
  const naming = { schema, productSuffix: productSuffix(schema.vocabulary) };
  const served = new Map(routes.map(({ version }) => [`${version.group}/${version.version}`, version]));
  const operations = [...discoveryOperations([...served.values()], naming)];
  for (const route of routes) {
    operations.push(...operationsOf(route, naming));
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
  const made = await contentOf(json.bytes());
  let protobuf: Promise<Required<Content>> | undefined;
  return {
    json: made,
    protobuf() {
      protobuf ??= protobufDocument(version, info, source);
      return protobuf;
    },
  };
}

async function protobufDocument(
  version: OpenapiVersion,
  info: DocumentInfo,
  source: PartsSource,
): Promise<Required<Content>> {
  const slices = new Slices();
  const made = new ProtobufDocument(version, info, new MessageWriter(version));
  for (const part of documentParts(version, source)) {
    made.add(part);
    await slices.breathe();
  }
  return contentOf(made.bytes());
}

const compressed = promisify(gzip);

async function contentOf(bytes: Buffer): Promise<Required<Content>> {
  return { bytes, gzipped: await compressed(bytes), hash: contentHash(bytes) };
}
