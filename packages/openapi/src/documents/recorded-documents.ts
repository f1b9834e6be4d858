// Schema documents of the built-in kinds, made in slices: some thousand steps, each well below a millisecond.

import type { Route } from "@orch/request";
import type { Field, OpenapiVersion, Schema } from "@orch/schema";
import { discoveryOperations } from "../operations/discovery-operations";
import type { Operation } from "../operations/operation";
import { pathOf, productSuffix } from "../operations/operation-names";
import { operationsOf } from "../operations/operations";
import { kindsWithin, servedKinds } from "../operations/served-kinds";
import { SEVERAL_OPERATIONS, WATCH_DOCUMENT } from "../operations/several-operations";
import { type DocumentPart, documentParts, type PartsSource } from "./document-parts";
import type { DocumentPiece } from "./document-source";
import type { Slices } from "./slices";

export interface RecordedSource {
  readonly schema: Schema;
  readonly routes: readonly Route[];
  /** Whether the served release has a field. */
  readonly shows: (field: Field) => boolean;
  readonly slices: Slices;
}

export class RecordedDocuments {
  /** The piece of the 2.0 document. */
  readonly together: DocumentPiece;
  /** The 3.0 documents. */
  readonly documents: readonly DocumentPiece[];
  private source: Promise<PartsSource> | undefined;

  constructor(private readonly of: RecordedSource) {
    this.together = { path: "", parts: (version, isThere) => this.parts(version, isThere) };
    this.documents = pathsOf(of.routes).map((path) => ({
      path,
      parts: (version, isThere) => this.parts(version, isThere, path),
    }));
  }

  isOf(routes: readonly Route[]): boolean {
    return this.of.routes.length === routes.length && this.of.routes.every((route, at) => route === routes[at]);
  }

  private async *parts(
    version: OpenapiVersion,
    isThere?: (model: string) => boolean,
    path?: string,
  ): AsyncGenerator<DocumentPart | undefined> {
    this.source ??= sourceOf(this.of);
    const source = await this.source;
    if (path === undefined) {
      yield* documentParts(version, { ...source, isThere });
      return;
    }
    const operations = source.operations.filter(({ document }) => document === path);
    yield* documentParts(version, { ...source, operations, kindsOf: kindsWithin(source.kindsOf, path), isThere });
  }
}

function pathsOf(routes: readonly Route[]): readonly string[] {
  const paths = new Set(["api", "apis", "version", WATCH_DOCUMENT]);
  for (const { version } of routes) {
    paths.add(pathOf(version).slice(1));
    if (version.group !== "") paths.add(`apis/${version.group}`);
  }
  return [...paths].sort();
}

async function sourceOf({ schema, routes, shows, slices }: RecordedSource): Promise<PartsSource> {
  const naming = { schema, productSuffix: productSuffix(schema.vocabulary) };
  const served = new Map(routes.map(({ version }) => [`${version.group}/${version.version}`, version]));
  const several = routes.length === 0 ? [] : SEVERAL_OPERATIONS;
  const operations: Operation[] = [...discoveryOperations([...served.values()], naming), ...several];
  await slices.breathe();
  for (const route of routes) {
    operations.push(...operationsOf(route, naming, shows));
    await slices.breathe();
  }
  return { schema, operations, shows, kindsOf: servedKinds(schema, routes) };
}
