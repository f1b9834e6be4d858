// All served routes in immutable tables. A change of resources replaces the tables in one step. A request keeps the
// route that it found, and with it the definition that it began with.
import type { RemoteRegistration } from "@orch/extensions";
import { type GroupResource, type GroupVersion, type ResourceDefinition, resourceText } from "@orch/machinery";
import type { ServedRoute } from "./resource-route";
import { enabledVersions, type RouteOptions, routesOf, type ServedResource } from "./served-resource";

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** "" for the resource itself. */
  readonly subresource: string;
}

export interface RouteChange {
  /** Each replaces what is served of the same resource. */
  readonly add?: readonly ServedResource[];
  readonly remove?: readonly GroupResource[];
}

type Routes = readonly ServedRoute[];

/** Routes of a group by version. The map is replaced when any of them changes. */
export type GroupRoutes = ReadonlyMap<string, Routes>;

/** The path of a resource is taken by another resource. */
export class PathConflictError extends Error {
  override readonly name = "PathConflictError";

  constructor(
    readonly path: string,
    readonly by: GroupResource,
  ) {
    super(`${path} is served for ${resourceText(by)}`);
  }
}

export class ResourceRoutes {
  /** Routes by path; see `Route`. */
  private byPath: ReadonlyMap<string, ServedRoute> = new Map();
  /** Routes by resource name, as in errors. */
  private byResource: ReadonlyMap<string, Routes> = new Map();
  private byGroup: ReadonlyMap<string, GroupRoutes> = new Map();
  /** Incremented when a route comes or goes, so that data derived from routes is rebuilt. */
  generation = 0;
  /** Called after every change. */
  private readonly listeners: (() => void)[] = [];
  /** Finds the aggregated API server of a group version, whatever is served of it here. */
  elsewhere: ((group: string, version: string) => RemoteRegistration | undefined) | undefined;

  constructor(private readonly options: RouteOptions) {}

  /** Applies all changes or none. @throws PathConflictError */
  change({ add = [], remove = [] }: RouteChange): void {
    const next = new TableEdit(this.byPath, this.byResource, this.byGroup);
    for (const resource of remove) next.remove(resourceText(resource));
    for (const resource of add) next.remove(nameOf(resource));
    for (const resource of add) next.add(nameOf(resource), routesOf(resource, this.options));
    this.byPath = next.byPath;
    this.byResource = next.byResource;
    this.byGroup = next.byGroup;
    this.generation += 1;
    for (const listener of this.listeners) listener();
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** @throws PathConflictError when a path of these resources belongs to another one */
  requireFree(definitions: readonly ResourceDefinition[]): void {
    const coming = new Map<string, GroupResource>();
    for (const definition of definitions) {
      const { group, plural } = definition;
      const own: GroupResource = { group, resource: plural };
      for (const each of enabledVersions(definition, this.options)) {
        const path = `${each.group}/${each.version}/${plural}`;
        const other = coming.get(path) ?? resourceOf(this.byPath.get(path));
        if (other !== undefined && resourceText(other) !== resourceText(own)) throw new PathConflictError(path, other);
        coming.set(path, own);
      }
    }
  }

  /** @param of names without slashes, which could be ambiguous */
  find(of: ResourceName): ServedRoute | undefined {
    const path = `${of.group}/${of.version}/${of.resource}`;
    return this.byPath.get(of.subresource === "" ? path : `${path}/${of.subresource}`);
  }

  /** @param path see `Route` */
  at(path: string): ServedRoute | undefined {
    return this.byPath.get(path);
  }

  /** Routes of one resource, in all versions. */
  of(resource: GroupResource): Routes {
    return this.byResource.get(resourceText(resource)) ?? [];
  }

  servesGroupVersion(group: string, version: string): boolean {
    return this.byGroup.get(group)?.has(version) === true;
  }

  /** A snapshot of all routes. */
  all(): Iterable<ServedRoute> {
    return this.byPath.values();
  }

  groups(): ReadonlyMap<string, GroupRoutes> {
    return this.byGroup;
  }

  get size(): number {
    return this.byPath.size;
  }
}

const resourceOf = (route: ServedRoute | undefined): GroupResource | undefined =>
  route && { group: route.definition.group, resource: route.definition.plural };

const nameOf = ({ definition: { group, plural } }: ServedResource) => resourceText({ group, resource: plural });

/** The next tables during a change. */
class TableEdit {
  readonly byPath: Map<string, ServedRoute>;
  readonly byResource: Map<string, Routes>;
  readonly byGroup: Map<string, GroupRoutes>;
  /** Maps that this edit has copied. */
  private readonly edited = new Map<string, Map<string, Routes>>();

  constructor(
    byPath: ReadonlyMap<string, ServedRoute>,
    byResource: ReadonlyMap<string, Routes>,
    byGroup: ReadonlyMap<string, GroupRoutes>,
  ) {
    this.byPath = new Map(byPath);
    this.byResource = new Map(byResource);
    this.byGroup = new Map(byGroup);
  }

  remove(name: string): void {
    const routes = this.byResource.get(name) ?? [];
    for (const route of routes) this.byPath.delete(route.path);
    const gone = new Set(routes);
    for (const { group, version } of versionsOf(routes)) {
      const versions = this.edit(group);
      const left = (versions.get(version) ?? []).filter((route) => !gone.has(route));
      if (left.length > 0) versions.set(version, left);
      else versions.delete(version);
      if (versions.size === 0) this.byGroup.delete(group);
    }
    this.byResource.delete(name);
  }

  add(name: string, routes: Routes): void {
    for (const route of routes) {
      const other = resourceOf(this.byPath.get(route.path));
      if (other !== undefined) throw new PathConflictError(route.path, other);
      this.byPath.set(route.path, route);
    }
    for (const { group, version } of versionsOf(routes)) {
      const versions = this.edit(group);
      const coming = routes.filter((route) => route.version.group === group && route.version.version === version);
      versions.set(version, [...(versions.get(version) ?? []), ...coming]);
      this.byGroup.set(group, versions);
    }
    this.byResource.set(name, routes);
  }

  private edit(group: string): Map<string, Routes> {
    const versions = this.edited.get(group) ?? new Map(this.byGroup.get(group));
    this.edited.set(group, versions);
    if (this.byGroup.has(group)) this.byGroup.set(group, versions);
    return versions;
  }
}

/** Yields each group version of the routes once. */
function versionsOf(routes: Routes): Iterable<GroupVersion> {
  return new Map(routes.map(({ version }) => [`${version.group}/${version.version}`, version])).values();
}
