// Published documents of everything that a release has, for tests.
import { builtInResources, virtualResources } from "@orch/apis";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, JsonValue, Schema } from "@orch/schema";
import { DocumentMaker, type ServedSource } from "../openapi/published-documents";
import { ResourceRoutes } from "../routes/resource-routes";
import type { ServedResource } from "../routes/served-resource";

/** Routes of every built-in resource; nothing is ever stored or done through them. */
export function allRoutes(of: Schema, release: string) {
  const routes = new ResourceRoutes({
    enabled: (_group, version) => !version.includes("alpha"),
    deprecation: () => undefined,
  });
  const stored = builtInResources(of.vocabulary, of, { release }).map((definition): ServedResource => {
    const parts = Object.keys(definition.actions ?? {});
    const actions = Object.fromEntries(parts.map((part) => [`${definition.plural}/${part}`, NEVER]));
    return { kind: "stored", definition, storage: { definition } as ResourceStorage, actions };
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

export async function publishedDocuments(
  source: Omit<ServedSource, "signal">,
  signal: AbortSignal = new AbortController().signal,
) {
  const maker = await DocumentMaker.of({ ...source, signal });
  return { version2: await maker.version2(), version3: await maker.version3() };
}

export const parsed = ({ json }: { readonly json: { readonly bytes: Buffer } }) =>
  JSON.parse(json.bytes.toString()) as JsonObject;
export const inside = (value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined =>
  path.reduce<JsonValue | undefined>((at, name) => (at as JsonObject | undefined)?.[name], value);

const METHODS: ReadonlySet<string> = new Set(["get", "head", "put", "post", "delete", "patch", "options"]);

/** By "METHOD /path". */
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
