// Describes what is served under the paths of one resource, and derives its routes.
import type { Action, ResourceDefinition, ResourceVerb, ServedVersion } from "@orch/machinery";
import type { ResourceStorage } from "@orch/registry";
import type { ActionHandler, Deprecation, NamedConnection, Route, ServedRoute, VirtualHandler } from "./resource-route";

export type ServedResource = StoredResource | ActionResource | VirtualResource;

/** Stored objects and the actions on them. */
interface StoredResource {
  readonly kind: "stored";
  readonly definition: ResourceDefinition;
  readonly storage: ResourceStorage;
  /** Handlers by resource and subresource, `pods/eviction`. An action without a handler is not served. */
  readonly actions?: Readonly<Record<string, ActionHandler>>;
  /** See `Route`. Default: false. */
  readonly inWorkers?: boolean;
}

/** An action on objects of another resource, under a path of its own. */
interface ActionResource {
  readonly kind: "action";
  readonly definition: ResourceDefinition;
  /** Storage of the objects that the action changes. */
  readonly storage: ResourceStorage;
  readonly act: ActionHandler;
}

/** A resource whose objects are answered and not stored. */
interface VirtualResource {
  readonly kind: "virtual";
  readonly definition: ResourceDefinition;
  readonly answer: VirtualHandler;
}

export interface RouteOptions {
  /** Whether a version of a resource is enabled. */
  enabled(group: string, version: string, resource: string): boolean;
  /** Deprecation of a version. */
  deprecation(version: ServedVersion): Deprecation | undefined;
}

/** Verbs that the server implements. Other verbs of a definition are neither served nor listed. */
const IMPLEMENTED: ReadonlySet<ResourceVerb> = new Set([
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
]);

const CREATED_ONLY: ReadonlySet<string> = new Set(["create"]);

/** The resource itself, without subresource. */
const NO_PART = { subresource: undefined, connection: undefined, history: undefined } as const;

type OwnRoute = Route & typeof NO_PART;

/** Returns all routes of a resource: one per enabled version and subresource. */
export function routesOf(resource: ServedResource, options: RouteOptions): readonly ServedRoute[] {
  const inWorkers = resource.kind !== "stored" || resource.inWorkers === true;
  return ownRoutes(resource.definition, options, inWorkers).flatMap((own) => routesIn(own, resource));
}

/** Routes of one version. */
function routesIn(own: OwnRoute, resource: ServedResource): readonly ServedRoute[] {
  switch (resource.kind) {
    case "stored":
      return withHistory(own, resource.storage, [
        ...storedRoutes(own, resource.storage),
        ...actionRoutes(own, resource),
      ]);
    case "action":
      return [actionRoute(own, resource)];
    case "virtual":
      return [{ ...own, storage: undefined, answer: resource.answer }];
  }
}

/** Versions that are enabled. Custom resources cannot be disabled by name. */
export const enabledVersions = (
  { versions, plural, isCustom }: ResourceDefinition,
  { enabled }: RouteOptions,
): readonly ServedVersion[] =>
  isCustom ? versions : versions.filter(({ group, version }) => enabled(group, version, plural));

function ownRoutes(definition: ResourceDefinition, options: RouteOptions, inWorkers: boolean): readonly OwnRoute[] {
  const { plural } = definition;
  const verbs = new Set(definition.verbs.filter((verb) => IMPLEMENTED.has(verb)));
  return enabledVersions(definition, options).map((version: ServedVersion) => {
    const deprecation = options.deprecation(version);
    const path = `${version.group}/${version.version}/${plural}`;
    return { definition, version, deprecation, path, bodies: version, ...NO_PART, verbs, inWorkers };
  });
}

function storedRoutes(own: OwnRoute, storage: ResourceStorage): readonly ServedRoute[] {
  const { definition } = own;
  const route = { ...own, storage };
  const routes: ServedRoute[] = [route];
  for (const [name, each] of Object.entries(definition.subresources)) {
    const rules = each.through === undefined ? each : each.through(own.version);
    if (rules === undefined) continue;
    routes.push({
      ...route,
      path: `${own.path}/${name}`,
      bodies: rules.view?.version ?? own.version,
      subresource: { name, rules },
      verbs: new Set(rules.verbs.filter((verb) => IMPLEMENTED.has(verb))),
    });
  }
  for (const [name, rules] of Object.entries(definition.connections ?? {})) {
    const path = `${own.path}/${name}`;
    const connection = { name: name as NamedConnection["name"], rules };
    routes.push({ ...route, path, bodies: rules.shows, connection, verbs: new Set<string>(rules.verbs) });
  }
  return routes;
}

function actionRoutes(own: OwnRoute, { definition, storage, actions = {} }: StoredResource): readonly ServedRoute[] {
  return Object.entries(definition.actions ?? {}).flatMap(([name, action]) => {
    const act = actions[`${definition.plural}/${name}`];
    const [bodies] = action.bodies(own.version);
    if (act === undefined || bodies === undefined) return [];
    const path = `${own.path}/${name}`;
    return [{ ...own, path, bodies, verbs: CREATED_ONLY, subresource: { name }, storage, act, action }];
  });
}

const HISTORY_VERBS = { history: "get", rollback: "create", restore: "create" } as const;

/** Adds the routes to the history of objects. A subresource of the kind itself keeps its name. */
function withHistory(own: OwnRoute, storage: ResourceStorage, routes: readonly ServedRoute[]): readonly ServedRoute[] {
  const { history } = storage;
  if (history === undefined) return routes;
  const { isListed } = history;
  const added = Object.entries(HISTORY_VERBS).map(([name, verb]): ServedRoute => {
    const part = name as keyof typeof HISTORY_VERBS;
    const path = `${own.path}/${part}`;
    return { ...own, path, storage, subresource: { name }, verbs: new Set([verb]), history: { part, isListed } };
  });
  return [...routes, ...added.filter(({ path }) => routes.every((other) => other.path !== path))];
}

function actionRoute(own: OwnRoute, { definition, storage, act }: ActionResource): ServedRoute {
  const { validate } = definition.strategy;
  const action: Action = { bodies: () => [own.version], ...(validate && { validate }) };
  return { ...own, storage, act, action };
}
