// Published documents of all resources of a release.
import { builtInResources, virtualResources } from "@orch/apis";
import type { Content } from "@orch/http-server";
import type { ResourceStorage } from "@orch/registry";
import { ResourceRoutes, type Route, type ServedResource } from "@orch/request";
import { existsIn, type Field, type JsonObject, type JsonValue, type Schema } from "@orch/schema";
import { type DocumentInfo, JsonForm, ProtobufForm } from "../documents/document-form";
import type { DocumentPiece } from "../documents/document-source";
import { JoinedDocument } from "../documents/joined-document";
import { RecordedDocuments } from "../documents/recorded-documents";
import { Slices } from "../documents/slices";
import { Version3Documents } from "../documents/version3-documents";

/**
 * Routes of all built-in resources. No object is stored or changed through them.
 * @param isListed whether every object has a history; undefined: none has
 */
export function allRoutes(of: Schema, release: string, isListed?: boolean) {
  const routes = new ResourceRoutes({
    enabled: (_group, version) => !version.includes("alpha"),
    deprecation: () => undefined,
  });
  const history = isListed === undefined ? {} : { history: { isListed } };
  const stored = builtInResources(of.vocabulary, of, { release }).map((definition): ServedResource => {
    const parts = Object.keys(definition.actions ?? {});
    const actions = Object.fromEntries(parts.map((part) => [`${definition.plural}/${part}`, NEVER]));
    return { kind: "stored", definition, storage: { definition, ...history } as ResourceStorage, actions };
  });
  const virtual = virtualResources(of.vocabulary, of, { release }).map(
    (definition): ServedResource => ({ kind: "virtual", definition, answer: NEVER }),
  );
  routes.change({ add: [...stored, ...virtual] });
  return [...routes.all()];
}

const NEVER = async () => {
  throw new Error("nothing is asked here");
};

export interface PublishedOf {
  readonly schema: Schema;
  readonly release: string;
  readonly info: DocumentInfo;
  readonly routes: readonly Route[];
}

/** Documents of a server with only these routes. */
export async function publishedDocuments(
  { schema, release, info, routes }: PublishedOf,
  signal: AbortSignal = new AbortController().signal,
) {
  const slices = new Slices(signal);
  const shows = (field: Field) => existsIn(field, release);
  const { together, documents } = new RecordedDocuments({ schema, routes, shows, slices });
  const failed = (_: DocumentPiece, error: unknown) => {
    throw error;
  };
  const version2Of = (form: JsonForm | ProtobufForm) =>
    new JoinedDocument({ version: "v2", form, slices, failed }).join([together]);
  const version3 = new Version3Documents({
    pieces: () => documents,
    json: new JsonForm("v3", info),
    protobuf: new ProtobufForm("v3", info),
    slices,
  });
  const byPath = new Map<string, PublishedDocument>();
  for (const { path } of documents) {
    const content = async (form: "json" | "protobuf") =>
      (await version3.document(path, form))?.content() as Promise<Content>;
    const json = await content("json");
    byPath.set(path, { json, text: await json.plain(), protobuf: () => content("protobuf") });
  }
  const json = await version2Of(new JsonForm("v2", info));
  const version2: PublishedDocument = {
    json,
    text: await json.plain(),
    protobuf: () => version2Of(new ProtobufForm("v2", info)),
  };
  return { version2, version3: { byPath, index: await version3.indexContent() } };
}

export interface PublishedDocument {
  readonly json: Content;
  /** Bytes of `json`. */
  readonly text: Buffer;
  protobuf(): Promise<Content>;
}

export const parsed = ({ text }: PublishedDocument) => JSON.parse(text.toString()) as JsonObject;
export const inside = (value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((at, name) => (at as JsonObject | undefined)?.[name], value);

const METHODS: ReadonlySet<string> = new Set(["get", "head", "put", "post", "delete", "patch", "options"]);

/** Operations by "METHOD /path". */
export function operationsIn(document: JsonObject | undefined): ReadonlyMap<string, JsonObject> {
  const items = Object.entries((document?.["paths"] ?? {}) as JsonObject);
  return new Map(
    items.flatMap(([path, item]) =>
      Object.entries(item as JsonObject)
        .filter(([method]) => METHODS.has(method))
        .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation as JsonObject] as const),
    ),
  );
}
