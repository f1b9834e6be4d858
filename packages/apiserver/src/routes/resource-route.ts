// Where a resource is served: one row a group version, resource and sub-resource, found by one look-up.
import type { Authenticator, Authorizer, UseNotes } from "@orch/auth";
import type { Action, Connection, ResourceDefinition, ServedVersion, UserInfo } from "@orch/machinery";
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
  /** Whether the side lane serves it too, and may be given its large objects. */
  readonly inLane: boolean;
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
  /** Bearer tokens alone. */
  readonly tokens: Authenticator;
  /** The server's names: for whom tokens are where nobody says. */
  readonly ownAudiences: readonly string[];
}

export interface Question {
  /** Decoded, in the newest version of its kind. */
  readonly object: JsonObject;
  readonly route: VirtualRoute;
  /** Of the path; "" at the cluster scope. */
  readonly namespace: string;
  /** Who asks. */
  readonly user: UserInfo;
  /** Told of what is to be said of a credential that is asked about. */
  noted(notes: UseNotes): void;
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

/** Name of the sub-resource that a route leads to; undefined for the resource itself. */
export const partOf = ({ subresource, connection }: Route): string | undefined => (subresource ?? connection)?.name;
