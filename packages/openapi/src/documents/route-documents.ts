// Schema documents of this server's own routes. Built-in kinds are published together, because they share most models
// and change only with the server. Each group version of custom resources is a piece of its own, identified by its
// definitions, so that none of thousands is made before a client requests it.

import { contentHash } from "@orch/http-server";
import type { GroupVersion } from "@orch/machinery";
import type { GroupRoutes, ResourceRoutes, Route } from "@orch/request";
import { existsIn, type Field, type OpenapiVersion, type Schema } from "@orch/schema";
import { discoveryOperations } from "../operations/discovery-operations";
import { type OperationNaming, pathOf, productSuffix } from "../operations/operation-names";
import { operationsOf } from "../operations/operations";
import { kindsWithin, servedKinds } from "../operations/served-kinds";
import type { DocumentInfo } from "./document-form";
import { type DocumentPart, documentParts } from "./document-parts";
import type { DocumentPiece, DocumentSource } from "./document-source";
import { RecordedDocuments } from "./recorded-documents";
import { Slices } from "./slices";

export interface RouteDocumentsParts {
  readonly schema: Schema;
  /** Kubernetes release of the API, such as `1.23`. Fields that are newer, or removed by then, are not shown. */
  readonly release: string;
  readonly routes: ResourceRoutes;
  readonly info: DocumentInfo;
  /** Build of the program. The same build makes the same document of the same definitions. */
  readonly build: string;
  /** Aborted when documents are not needed any more. */
  readonly signal: AbortSignal;
}

type Pieces = Readonly<Record<OpenapiVersion, readonly DocumentPiece[]>>;

export class RouteDocuments implements DocumentSource {
  onChange: (() => void) | undefined;
  private recorded: RecordedDocuments | undefined;
  private groups = new Map<string, GroupPieces>();
  private pieced: Pieces | undefined;
  private piecedFor = -1;

  constructor(private readonly of: RouteDocumentsParts) {
    of.routes.onChange(() => this.onChange?.());
  }

  pieces(version: OpenapiVersion): readonly DocumentPiece[] {
    const { generation } = this.of.routes;
    if (this.pieced === undefined || this.piecedFor !== generation) this.pieced = this.piecesNow();
    this.piecedFor = generation;
    return this.pieced[version];
  }

  /** Operation names of the documents, which no start needs. */
  private get naming(): OperationNaming {
    const { schema } = this.of;
    return { schema, productSuffix: productSuffix(schema.vocabulary) };
  }

  private piecesNow(): Pieces {
    const former = this.groups;
    this.groups = new Map();
    const recorded: Route[] = [];
    const pieces: DefinedPiece[] = [];
    for (const [group, routes] of this.of.routes.groups()) {
      const known = former.get(group);
      const made = known?.of === routes ? known : this.groupNow(group, routes, known);
      this.groups.set(group, made);
      recorded.push(...made.recorded);
      pieces.push(...made.pieces);
    }
    if (!this.recorded?.isOf(recorded)) {
      const { schema, release, signal } = this.of;
      const slices = new Slices(signal);
      this.recorded = new RecordedDocuments({ schema, routes: recorded, shows: renderFor(release), slices });
    }
    // Sorted, so that every replica has the same order.
    pieces.sort((one, other) => (one.path < other.path ? -1 : 1));
    return { v2: [this.recorded.together, ...pieces], v3: [...this.recorded.documents, ...pieces] };
  }

  private groupNow(group: string, of: GroupRoutes, former: GroupPieces | undefined): GroupPieces {
    const recorded: Route[] = [];
    const pieces: DefinedPiece[] = [];
    const keptOr = (path: string, routes: readonly Route[], make: () => DefinedPiece): DefinedPiece =>
      former?.pieces.find((each) => each.path === path && sameRoutes(each.routes, routes)) ?? make();
    for (const all of of.values()) {
      // A history that the annotation of a namespace decides about is not published.
      const routes = all.filter(({ history }) => history?.isListed !== false);
      const { version } = routes[0] as Route;
      if (routes.some(({ definition }) => definition.contentKey === undefined)) {
        recorded.push(...routes);
        continue;
      }
      const path = pathOf(version).slice(1);
      pieces.push(keptOr(path, routes, () => this.definedPiece(path, routes)));
    }
    const [first] = pieces;
    if (first !== undefined && recorded.length === 0) {
      const path = `apis/${group}`;
      pieces.push(keptOr(path, [], () => this.groupPiece(path, (first.routes[0] as Route).version)));
    }
    return { of, recorded, pieces };
  }

  private definedPiece(path: string, routes: readonly Route[]): DefinedPiece {
    const { schema, release } = this.of;
    const keys = [...new Set(routes.map(keyOf))].sort();
    const shows = renderFor(release);
    const { naming } = this;
    return {
      path,
      routes,
      hash: this.hashOf(path, keys),
      *parts(version, isThere): Generator<DocumentPart | undefined> {
        const operations = [
          ...ownOperation(path, (routes[0] as Route).version, naming),
          ...routes.flatMap((route) => operationsOf(route, naming, shows)),
        ];
        const kinds = servedKinds(schema, routes);
        const kindsOf = version === "v3" ? kindsWithin(kinds, path) : kinds;
        yield* documentParts(version, { schema, operations, shows, kindsOf, isThere });
      },
    };
  }

  /** The path that describes the group. */
  private groupPiece(path: string, version: GroupVersion): DefinedPiece {
    const { schema, release } = this.of;
    const operations = ownOperation(path, version, this.naming);
    const source = { schema, operations, shows: renderFor(release), kindsOf: servedKinds(schema, []) };
    return {
      path,
      routes: [],
      hash: this.hashOf(path, []),
      parts: (of, isThere) => documentParts(of, { ...source, isThere }),
    };
  }

  private hashOf(path: string, keys: readonly string[]): string {
    const { build, release, info } = this.of;
    return contentHash(Buffer.from(JSON.stringify([build, release, info, path, ...keys])));
  }
}

interface DefinedPiece extends DocumentPiece {
  readonly hash: string;
  readonly routes: readonly Route[];
}

interface GroupPieces {
  readonly of: GroupRoutes;
  /** Routes of built-in group versions. */
  readonly recorded: readonly Route[];
  readonly pieces: readonly DefinedPiece[];
}

/** Identifies the published content of a route: the history of objects is published where the server keeps it. */
const keyOf = ({ definition, history }: Route): string =>
  `${definition.plural} ${definition.contentKey}${history === undefined ? "" : ` ${history.part}`}`;

const renderFor = (release: string) => (field: Field) => existsIn(field, release);

const sameRoutes = (one: readonly Route[], other: readonly Route[]): boolean =>
  one.length === other.length && one.every((route, at) => route === other[at]);

const ownOperation = (path: string, version: GroupVersion, naming: OperationNaming) =>
  discoveryOperations([version], naming).filter(({ document }) => document === path);
