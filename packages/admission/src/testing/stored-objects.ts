// Objects of a cluster for plugin tests, including those that plugins write.
import { alreadyExists, conflict, type GroupResource, metaOf, notFound, parseApiVersion } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { AdmissionDependencies, ObjectLister, ObjectPlace } from "../contract/dependencies";

type Stored = Pick<AdmissionDependencies, "objects" | "kinds" | "writer">;

/** @param objects with kind, apiVersion and metadata; their resource is the regular plural of the kind */
export function storedObjects(objects: readonly JsonObject[]): Stored {
  const all = new Map<string, JsonObject>();
  const keyOf = ({ group, resource }: GroupResource, { namespace, name }: ObjectPlace) =>
    `${group}/${resource}/${namespace}/${name}`;
  let revision = 100;
  const put = (resource: GroupResource, object: JsonObject): JsonObject => {
    revision += 1;
    const metadata = { ...(metaOf(object) as JsonObject), resourceVersion: String(revision) };
    const kept: JsonObject = { ...object, metadata };
    all.set(keyOf(resource, placeOf(object)), kept);
    return kept;
  };
  for (const object of objects) put(resourceOf(object), object);
  const of = ({ group, resource }: GroupResource, namespace?: string): JsonObject[] => {
    const prefix = namespace === undefined ? `${group}/${resource}/` : `${group}/${resource}/${namespace}/`;
    return [...all.keys()]
      .filter((key) => key.startsWith(prefix))
      .sort()
      .map((key) => all.get(key) as JsonObject);
  };
  const find = (resource: GroupResource, at: ObjectPlace) => all.get(keyOf(resource, at));
  const lister = (resource: GroupResource): ObjectLister => ({
    in: (namespace) => of(resource, namespace),
    all: () => of(resource),
    find: (at) => find(resource, at),
  });
  return {
    objects: {
      lister,
      cached: find,
      labels: (resource, at) => metaOf(find(resource, at) ?? {}).labels as Record<string, string> | undefined,
      inStore: async (resource, at) => find(resource, at),
      metadataInStore: async (resource, at) => {
        const found = find(resource, at);
        return found && metaOf(found);
      },
      async *each(resource, namespace) {
        yield* namespace === "" ? of(resource) : of(resource, namespace);
      },
      async *mentioning(key, scope) {
        for (const object of all.values()) {
          const metadata = metaOf(object);
          const resource = resourceOf(object);
          const isAsked =
            "namespace" in scope
              ? metadata.namespace === scope.namespace
              : resource.group === scope.resource.group && resource.resource === scope.resource.resource;
          if (isAsked && metadata.annotations?.[key] !== undefined) yield { resource, metadata };
        }
      },
      async *heads(resource, namespace) {
        for (const object of namespace === "" ? of(resource) : of(resource, namespace)) {
          yield { ...placeOf(object), owners: metaOf(object).ownerReferences ?? [] };
        }
      },
      once: async (resource, at) => find(resource, at),
    },
    kinds: {
      of: (apiVersion, kind) => {
        const known = objects.find((each) => each["apiVersion"] === apiVersion && each["kind"] === kind);
        return known === undefined ? [] : [{ ...resourceOf(known), namespaced: placeOf(known).namespace !== "" }];
      },
    },
    writer: {
      async create(resource, object) {
        const at = placeOf(object);
        if (find(resource, at) !== undefined) throw alreadyExists(resource, at.name);
        return put(resource, object);
      },
      async update(resource, object) {
        const at = placeOf(object);
        const stored = find(resource, at);
        if (stored === undefined) throw notFound(resource, at.name);
        const { resourceVersion } = metaOf(object);
        if (resourceVersion !== metaOf(stored).resourceVersion) throw conflict(resource, at.name, "changed meanwhile");
        return put(resource, object);
      },
    },
  };
}

function placeOf(object: JsonObject): ObjectPlace {
  const { namespace = "", name = "" } = metaOf(object);
  return { namespace, name };
}

function resourceOf({ apiVersion, kind }: JsonObject): GroupResource {
  const singular = String(kind).toLowerCase();
  const resource = /(s|x|ch|sh)$/.test(singular) ? `${singular}es` : `${singular.replace(/y$/, "ie")}s`;
  return { group: parseApiVersion(String(apiVersion))?.group ?? "", resource };
}
