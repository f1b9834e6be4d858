// What this server publishes of its own routes. The kinds that it is built with come together, for they share most of their models and
// change only with the server; each group version of definitions is a piece of its own, told from others by the definitions it is made of,
// so that of thousands none is made before somebody asks for it.
import type { GroupVersion } from "@orch/machinery";
import { existsIn, type Field, type OpenapiVersion, type Schema } from "@orch/schema";
import { contentHash } from "../http/content-answer";
import type { Route } from "../routes/resource-route";
import type { GroupRoutes, ResourceRoutes } from "../routes/resource-routes";
import { discoveryOperations } from "./discovery-operations";
import type { DocumentInfo } from "./document-form";
import { type DocumentPart, documentParts } from "./document-parts";
import type { DocumentPiece, DocumentSource } from "./document-source";
import { type OperationNaming, pathOf, productSuffix } from "./operation-names";
import { operationsOf } from "./operations";
import { RecordedDocuments } from "./recorded-documents";
import { kindsWithin, servedKinds } from "./served-kinds";
import { Slices } from "./slices";

export interface RouteDocumentsParts {
  readonly schema: Schema;
  /** Whose API it is, such as `1.23`: what is newer, or was gone before, is not shown. */
  readonly release: string;
  readonly routes: ResourceRoutes;
  readonly info: DocumentInfo;
  /** Of the program: what it makes of the same definitions is the same. */
  readonly build: string;
  /** Nobody waits for documents any more. */
  readonly signal: AbortSignal;
}

type Pieces = Readonly<Record<OpenapiVersion, readonly DocumentPiece[]>>;

export class RouteDocuments implements DocumentSource {
  onChange: (() => void) | undefined;
  private readonly naming: OperationNaming;
  private recorded: RecordedDocuments | undefined;
  private groups = new Map<string, GroupPieces>();
  private pieced: Pieces | undefined;
  private piecedFor = -1;

  constructor(private readonly of: RouteDocumentsParts) {
    const { schema, routes } = of;
    this.naming = { schema, productSuffix: productSuffix(schema.vocabulary) };
    routes.onChange(() => this.onChange?.());
  }

  pieces(version: OpenapiVersion): readonly DocumentPiece[] {
    const { generation } = this.of.routes;
    if (this.pieced === undefined || this.piecedFor !== generation) this.pieced = this.piecesNow();
    this.piecedFor = generation;
    return this.pieced[version];
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
      this.recorded = new RecordedDocuments({ schema, routes: recorded, shows: shownIn(release), slices });
    }
    // Every replica has them in one order, however they came.
    pieces.sort((one, other) => (one.path < other.path ? -1 : 1));
    return { v2: [this.recorded.together, ...pieces], v3: [...this.recorded.documents, ...pieces] };
  }

  private groupNow(group: string, of: GroupRoutes, former: GroupPieces | undefined): GroupPieces {
    const recorded: Route[] = [];
    const pieces: DefinedPiece[] = [];
    const keptOr = (path: string, routes: readonly Route[], make: () => DefinedPiece): DefinedPiece =>
      former?.pieces.find((each) => each.path === path && sameRoutes(each.routes, routes)) ?? make();
    for (const routes of of.values()) {
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
    const keys = [...new Set(routes.map(({ definition }) => `${definition.plural} ${definition.contentKey}`))].sort();
    const shows = shownIn(release);
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

  /** The one path that tells of the group. */
  private groupPiece(path: string, version: GroupVersion): DefinedPiece {
    const { schema, release } = this.of;
    const operations = ownOperation(path, version, this.naming);
    const source = { schema, operations, shows: shownIn(release), kindsOf: servedKinds(schema, []) };
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
  /** Those of group versions that the server is built with. */
  readonly recorded: readonly Route[];
  readonly pieces: readonly DefinedPiece[];
}

const shownIn = (release: string) => (field: Field) => existsIn(field, release);

const sameRoutes = (one: readonly Route[], other: readonly Route[]): boolean =>
  one.length === other.length && one.every((route, at) => route === other[at]);

const ownOperation = (path: string, version: GroupVersion, naming: OperationNaming) =>
  discoveryOperations([version], naming).filter(({ document }) => document === path);
