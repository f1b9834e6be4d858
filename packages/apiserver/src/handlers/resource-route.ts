// Where a resource is served: one row a group version, resource and sub-resource, found by one look-up on the request's info.
import type { ResourceDefinition, ResourceVerb, ServedVersion } from "@orch/machinery";
import type { NamedSubresource, ResourceStorage } from "@orch/registry";
import type { RequestInfo } from "../pipeline/request-info";

export interface ResourceRoute {
  /** `group/version/resource[/subresource]`. */
  readonly path: string;
  readonly definition: ResourceDefinition;
  readonly version: ServedVersion;
  /** What bodies and answers are of: `version`, or the kind that the sub-resource shows. */
  readonly bodies: ServedVersion;
  readonly storage: ResourceStorage;
  readonly subresource: NamedSubresource | undefined;
  readonly verbs: ReadonlySet<string>;
  /** Of a deprecated version. */
  readonly deprecation: Deprecation | undefined;
}

export interface Deprecation {
  readonly warning: string;
  /** "" while no end is known. */
  readonly removedRelease: string;
}

export interface RouteOptions {
  /** Whether a version of a resource is switched on. */
  enabled(group: string, version: string, resource: string): boolean;
  /** What the clients of a version are told. */
  deprecation(version: ServedVersion): Deprecation | undefined;
}

/** Verbs that the server can carry out; what a definition allows beyond them is neither served nor listed. */
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

export class ResourceRoutes {
  private readonly routes = new Map<string, ResourceRoute>();
  private readonly groupVersions = new Set<string>();
  /** Changes whenever a route comes or goes; what is built from the routes is then built anew. */
  generation = 0;

  constructor(private readonly options: RouteOptions) {}

  add(storage: ResourceStorage): void {
    const { definition } = storage;
    for (const version of definition.versions) {
      if (!this.options.enabled(version.group, version.version, definition.plural)) continue;
      const path = `${version.group}/${version.version}/${definition.plural}`;
      const shared = { definition, version, storage, deprecation: this.options.deprecation(version) };
      const verbs = new Set(definition.verbs.filter((verb) => IMPLEMENTED.has(verb)));
      this.routes.set(path, { ...shared, path, bodies: version, subresource: undefined, verbs });
      for (const [name, rules] of Object.entries(definition.subresources)) {
        this.routes.set(`${path}/${name}`, {
          ...shared,
          path: `${path}/${name}`,
          bodies: rules.view?.version ?? version,
          subresource: { name, rules },
          verbs: new Set(rules.verbs.filter((verb) => IMPLEMENTED.has(verb))),
        });
      }
      this.groupVersions.add(`${version.group}/${version.version}`);
    }
    this.generation += 1;
  }

  find(info: RequestInfo): ResourceRoute | undefined {
    const path = `${info.group}/${info.version}/${info.resource}`;
    return this.routes.get(info.subresource === "" ? path : `${path}/${info.subresource}`);
  }

  servesGroupVersion(group: string, version: string): boolean {
    return this.groupVersions.has(`${group}/${version}`);
  }

  all(): Iterable<ResourceRoute> {
    return this.routes.values();
  }
}
