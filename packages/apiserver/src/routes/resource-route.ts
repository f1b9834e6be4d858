// Where a resource is served: one row a group version, resource and sub-resource, found by one look-up.
import type { Authenticator, Authorizer } from "@orch/auth";
import type { Action, Connection, ResourceDefinition, ResourceVerb, ServedVersion, UserInfo } from "@orch/machinery";
import type { ActionContext, NamedSubresource, ObjectKey, ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";

/** What all routes say of themselves. */
export interface Route {
  /** `group/version/resource[/subresource]`. */
  readonly path: string;
  readonly definition: ResourceDefinition;
  readonly version: ServedVersion;
  /** What bodies and answers are of: `version`, or the kind that the sub-resource shows. */
  readonly bodies: ServedVersion;
  readonly subresource: { readonly name: string } | undefined;
  readonly connection: NamedConnection | undefined;
  readonly verbs: ReadonlySet<string>;
  /** Of a deprecated version. */
  readonly deprecation: Deprecation | undefined;
}

export interface NamedConnection {
  readonly name: "log" | "exec" | "attach" | "portforward" | "proxy";
  readonly rules: Connection;
}

/** Of objects that are stored. */
export interface ResourceRoute extends Route {
  readonly storage: ResourceStorage;
  readonly subresource: NamedSubresource | undefined;
  readonly connection: undefined;
  readonly act?: undefined;
}

/** To where such an object runs. */
export interface ConnectRoute extends Route {
  readonly storage: ResourceStorage;
  readonly connection: NamedConnection;
  readonly act?: undefined;
}

/** Of questions, which are answered and forgotten. */
export interface VirtualRoute extends Route {
  readonly storage: undefined;
  readonly connection: undefined;
  readonly answer: VirtualHandler;
  readonly act?: undefined;
}

/** Of what is created to have something done to an object, and stored nowhere. */
export interface ActionRoute extends Route {
  /** Of that object. */
  readonly storage: ResourceStorage;
  readonly connection: undefined;
  readonly act: ActionHandler;
  readonly action: Action;
}

export type ServedRoute = ResourceRoute | ConnectRoute | VirtualRoute | ActionRoute;

export interface ActionRequest {
  /** Decoded, valid and admitted. */
  readonly body: JsonObject;
  /** Of the object to which something is done; `storage` has it. */
  readonly key: ObjectKey;
  readonly storage: ResourceStorage;
  readonly write: ActionContext & { readonly admitted: true };
}

/**
 * @returns what the client is answered, of the kind that the action answers; undefined: a Status that says that it is done
 * @throws StatusError where it cannot be done
 */
export type ActionHandler = (asked: ActionRequest) => Promise<JsonObject | undefined>;

/** What the answers are made from. */
export interface VirtualDeps {
  readonly authorizer: Authorizer;
  /** Bearer tokens alone; undefined where the server takes none. */
  readonly tokens: Authenticator | undefined;
}

export interface Question {
  /** Decoded, in the newest version of its kind. */
  readonly object: JsonObject;
  readonly route: VirtualRoute;
  /** Of the path; "" at the cluster scope. */
  readonly namespace: string;
  /** Who asks. */
  readonly user: UserInfo;
}

/** @returns the status; undefined to leave the object as it is. @throws StatusError for a question that breaks rules */
export type VirtualHandler = (
  deps: VirtualDeps,
  question: Question,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

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

const CREATED_ONLY: ReadonlySet<string> = new Set(["create"]);

/** Of the resource itself. */
const NO_PART = { subresource: undefined, connection: undefined } as const;

/** Name of the sub-resource that a route leads to; undefined for the resource itself. */
export const partOf = ({ subresource, connection }: Route): string | undefined => (subresource ?? connection)?.name;

export interface ResourceName {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** "" for the resource itself. */
  readonly subresource: string;
}

export class ResourceRoutes {
  private readonly routes = new Map<string, ServedRoute>();
  private readonly groupVersions = new Set<string>();
  /** Changes whenever a route comes or goes; what is built from the routes is then built anew. */
  generation = 0;
  /** Told of every such change. */
  onChange: (() => void) | undefined;

  constructor(private readonly options: RouteOptions) {}

  add(storage: ResourceStorage): void {
    const { definition } = storage;
    for (const own of this.routesOf(definition)) {
      const route = { ...own, storage };
      this.routes.set(route.path, route);
      for (const [name, each] of Object.entries(definition.subresources)) {
        const rules = each.through === undefined ? each : each.through(route.version);
        if (rules === undefined) continue;
        const path = `${route.path}/${name}`;
        this.routes.set(path, {
          ...route,
          path,
          bodies: rules.view?.version ?? route.version,
          subresource: { name, rules },
          verbs: new Set(rules.verbs.filter((verb) => IMPLEMENTED.has(verb))),
        });
      }
      for (const [name, rules] of Object.entries(definition.connections ?? {})) {
        const path = `${route.path}/${name}`;
        const connection = { name: name as NamedConnection["name"], rules };
        const verbs = new Set<string>(rules.verbs);
        this.routes.set(path, { ...route, path, bodies: rules.shows, connection, verbs });
      }
    }
    this.changed();
  }

  /** What is done to the objects of a resource through a sub-resource. One that no handler is named for is not served. */
  addActions(storage: ResourceStorage, handlers: Readonly<Record<string, ActionHandler>>): void {
    const { definition } = storage;
    for (const own of this.routesOf(definition)) {
      for (const [name, action] of Object.entries(definition.actions ?? {})) {
        const act = handlers[`${definition.plural}/${name}`];
        const [bodies] = action.bodies(own.version);
        if (act === undefined || bodies === undefined) continue;
        const path = `${own.path}/${name}`;
        const verbs = CREATED_ONLY;
        this.routes.set(path, { ...own, path, bodies, verbs, subresource: { name }, storage, act, action });
      }
    }
    this.changed();
  }

  /** The same, under the path of a resource that is nothing else. @param storage of the objects to which it is done */
  addActionResource(definition: ResourceDefinition, storage: ResourceStorage, act: ActionHandler): void {
    const { validate } = definition.strategy;
    for (const own of this.routesOf(definition)) {
      const action: Action = { bodies: () => [own.version], ...(validate && { validate }) };
      this.routes.set(own.path, { ...own, storage, act, action });
    }
    this.changed();
  }

  /** @param definition of a resource that stores nothing */
  addVirtual(definition: ResourceDefinition, answer: VirtualHandler): void {
    for (const own of this.routesOf(definition)) this.routes.set(own.path, { ...own, storage: undefined, answer });
    this.changed();
  }

  private changed(): void {
    this.generation += 1;
    this.onChange?.();
  }

  /** One for each version that is switched on. */
  private routesOf(definition: ResourceDefinition): readonly (Route & typeof NO_PART)[] {
    const { plural } = definition;
    const verbs = new Set(definition.verbs.filter((verb) => IMPLEMENTED.has(verb)));
    const versions = definition.versions.filter(({ group, version }) => this.options.enabled(group, version, plural));
    return versions.map((version) => {
      const groupVersion = `${version.group}/${version.version}`;
      this.groupVersions.add(groupVersion);
      const deprecation = this.options.deprecation(version);
      const path = `${groupVersion}/${plural}`;
      return { definition, version, deprecation, path, bodies: version, ...NO_PART, verbs };
    });
  }

  /** @param of names without slashes: one could otherwise stand for two */
  find(of: ResourceName): ServedRoute | undefined {
    const path = `${of.group}/${of.version}/${of.resource}`;
    return this.routes.get(of.subresource === "" ? path : `${path}/${of.subresource}`);
  }

  /** @param path see `Route` */
  at(path: string): ServedRoute | undefined {
    return this.routes.get(path);
  }

  servesGroupVersion(group: string, version: string): boolean {
    return this.groupVersions.has(`${group}/${version}`);
  }

  all(): Iterable<ServedRoute> {
    return this.routes.values();
  }
}
