// Routes: one per group version, resource and subresource, found by one lookup.
import type { Authenticator, Authorizer, CredentialUse } from "@orch/auth";
import type { Action, Connection, ResourceDefinition, ServedVersion, UserInfo } from "@orch/machinery";
import type { ActionContext, NamedSubresource, ObjectKey, ResourceStorage } from "@orch/registry";
import type { JsonObject } from "@orch/schema";

/** Members that all routes share. */
export interface Route {
  /** `group/version/resource[/subresource]`. */
  readonly path: string;
  readonly definition: ResourceDefinition;
  readonly version: ServedVersion;
  /** Version of bodies and answers: `version`, or the kind that the subresource shows. */
  readonly bodies: ServedVersion;
  readonly subresource: { readonly name: string } | undefined;
  readonly connection: NamedConnection | undefined;
  readonly verbs: ReadonlySet<string>;
  /** Set for deprecated versions. */
  readonly deprecation: Deprecation | undefined;
  /** Whether the large-object workers serve the route and may receive its large objects. */
  readonly inWorkers: boolean;
  /** Set for the subresources of the history of objects. */
  readonly history?: HistoryPart | undefined;
}

interface HistoryPart {
  readonly part: "history" | "rollback" | "restore";
  /** Whether discovery lists it: every object of the resource has a history. */
  readonly isListed: boolean;
}

export interface NamedConnection {
  readonly name: "log" | "exec" | "attach" | "portforward" | "proxy";
  readonly rules: Connection;
}

/** A route to stored objects. */
export interface ResourceRoute extends Route {
  readonly storage: ResourceStorage;
  readonly subresource: NamedSubresource | undefined;
  readonly connection: undefined;
  readonly act?: undefined;
  readonly history?: undefined;
}

/** A route that is proxied to where the object runs, such as pods/exec. */
export interface ConnectRoute extends Route {
  readonly storage: ResourceStorage;
  readonly connection: NamedConnection;
  readonly act?: undefined;
  readonly history?: undefined;
}

/** A route for requests that are answered and not stored, such as access reviews. */
export interface VirtualRoute extends Route {
  readonly storage: undefined;
  readonly connection: undefined;
  readonly answer: VirtualHandler;
  readonly act?: undefined;
  readonly history?: undefined;
}

/** A route for objects that are created to trigger an action, such as evictions, and are not stored. */
export interface ActionRoute extends Route {
  /** Storage of the object that the action changes. */
  readonly storage: ResourceStorage;
  readonly connection: undefined;
  readonly act: ActionHandler;
  readonly action: Action;
  readonly history?: undefined;
}

/** A route to the earlier states of stored objects. */
export interface HistoryRoute extends Route {
  readonly storage: ResourceStorage;
  readonly connection: undefined;
  readonly act?: undefined;
  readonly history: HistoryPart;
}

export type ServedRoute = ResourceRoute | ConnectRoute | VirtualRoute | ActionRoute | HistoryRoute;

/** The action that a request asks for. */
export interface RequestedAction {
  /** Decoded, valid and admitted. */
  readonly body: JsonObject;
  /** Key of the object that the action changes, in `storage`. */
  readonly key: ObjectKey;
  readonly storage: ResourceStorage;
  readonly write: ActionContext & { readonly admitted: true };
}

/**
 * @returns the answer, of the kind that the action answers; undefined: a Status of success
 * @throws StatusError when the action fails
 */
export type ActionHandler = (asked: RequestedAction) => Promise<JsonObject | undefined>;

/** Dependencies of virtual handlers. */
interface VirtualDeps {
  readonly authorizer: Authorizer;
  /** Authenticator of bearer tokens only. */
  readonly tokens: Authenticator;
  /** Audiences of this server: the default audiences of a token review. */
  readonly ownAudiences: readonly string[];
  readonly gates: { readonly AuthorizeWithSelectors: boolean };
}

export interface Question {
  /** Decoded, in the newest version of its kind. */
  readonly object: JsonObject;
  readonly route: VirtualRoute;
  /** Namespace in the path; "" at cluster scope. */
  readonly namespace: string;
  /** The user of the request. */
  readonly user: UserInfo;
  /** Called with the annotations and warning of a reviewed credential. */
  noted(notes: CredentialUse): void;
}

/** @returns the status; undefined to leave the object unchanged @throws StatusError for an invalid object */
export type VirtualHandler = (
  deps: VirtualDeps,
  question: Question,
) => JsonObject | undefined | Promise<JsonObject | undefined>;

export interface Deprecation {
  readonly warning: string;
  /** "" when no removal is announced. */
  readonly removedRelease: string;
}

/** Name of the subresource of a route; undefined for the resource itself. */
export const partOf = ({ subresource, connection }: Route): string | undefined => (subresource ?? connection)?.name;
