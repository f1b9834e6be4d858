// The kinds of requests, by what they ask for. Every step of the pipeline reads the same value.
import type { RemoteRegistration } from "@orch/extensions";
import type { StatusError } from "@orch/machinery";
import type { ObjectKey } from "@orch/registry";
import type {
  ActionRoute,
  ConnectRoute,
  HistoryRoute,
  ResourceRoute,
  ServedRoute,
  VirtualRoute,
} from "../routes/resource-route";

export type RequestInfo =
  | UnreadableRequest
  | PathRequest
  | SeveralRequest
  | UnservedRequest
  | RemoteRequest
  | ServedRequest;

interface AnyRequest {
  readonly method: string;
  /** Undecoded, without the query. */
  readonly path: string;
  /** The undecoded query with its question mark; "" when there is none. */
  readonly search: string;
  /** Undefined without a query. */
  readonly query: URLSearchParams | undefined;
  /** Authority of an absolute-form target. */
  readonly authority: string | undefined;
  /** Authorization verb: get, list, watch, create and so on, or the lower-case method for non-resource paths. */
  readonly verb: string;
  /** Exempt from the time limit and from the in-flight limits. */
  readonly longRunning: boolean;
}

/** A request whose target is malformed; answered with the reason. */
export interface UnreadableRequest extends AnyRequest {
  readonly kind: "unreadable";
  readonly why: string;
  readonly route: undefined;
}

/** A non-resource request, identified by its exact path. */
export interface PathRequest extends AnyRequest {
  readonly kind: "path";
  readonly route: undefined;
}

/** A request for several resources. What applies to a request for one of them applies to each part. */
export interface SeveralRequest extends AnyRequest {
  readonly kind: "several";
  readonly route: undefined;
  /** list: everything in a namespace. */
  readonly verb: "watch" | "list";
  readonly parts: readonly RequestedPart[];
  /** Whether parts that are refused are left out; otherwise one of them refuses the request. */
  readonly isPartial: boolean;
  /** Parts that are left out. */
  readonly refused: readonly RefusedPart[];
}

export interface RequestedPart {
  /** `[GROUP/]VERSION/RESOURCE`. */
  readonly name: string;
  /** The request for this part alone. */
  readonly info: CollectionRequest | UnservedRequest | RemoteRequest;
}

export interface RefusedPart {
  readonly name: string;
  readonly why: StatusError;
}

/** Whether the request as a whole has no resource attributes. */
export const namesNoResource = (info: RequestInfo): info is UnreadableRequest | PathRequest | SeveralRequest =>
  info.kind === "path" || info.kind === "unreadable" || info.kind === "several";

/** The resource attributes for authorization. */
export interface OfResource extends AnyRequest {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** The object name; in lists and watches, the name in a metadata.name field selector. */
  readonly name: string;
  /** Whether the verb is a part of the path, as in `/api/v1/watch/pods`. */
  readonly hasVerbInPath: boolean;
}

/** A resource request for which there is no route. Refused after authorization. */
export interface UnservedRequest extends OfResource {
  readonly kind: "unserved";
  readonly route: undefined;
  /** Methods that the path takes; undefined when it leads nowhere. */
  readonly allowed: readonly string[] | undefined;
}

/** A request for a group version of an aggregated API server. */
export interface RemoteRequest extends OfResource {
  readonly kind: "remote";
  readonly route: undefined;
  readonly registration: RemoteRegistration;
  /** Whether the registration stands for another API server of the cluster. */
  readonly isOfPeer?: true;
}

export type ServedRequest =
  | CollectionRequest
  | ItemRequest
  | ConnectionRequest
  | QuestionRequest
  | ActionRequest
  | HistoryRequest;

/** @template Route the matching route: group, version, resource and subresource are authorized as the route has them */
interface Served<Route extends ServedRoute> extends OfResource {
  readonly route: Route;
  /** The namespace is "" for cluster-scoped resources and for all namespaces. The name equals `name`. */
  readonly key: ObjectKey;
  /** The answer explains admission of the write, and nothing is written. */
  readonly explains: boolean;
}

/** A request for a collection, or to create an object. */
export interface CollectionRequest extends Served<ResourceRoute> {
  readonly kind: "collection";
  readonly verb: "list" | "watch" | "create" | "deletecollection";
  /** Lists and watches of namespaces: only those in which the user has access. */
  readonly accessibleOnly: boolean;
}

/** A request for one object or a subresource of it. */
export interface ItemRequest extends Served<ResourceRoute> {
  readonly kind: "item";
  readonly verb: "get" | "watch" | "update" | "patch" | "delete";
}

/** A request to be proxied to where an object runs. */
export interface ConnectionRequest extends Served<ConnectRoute> {
  readonly kind: "connection";
  /** The undecoded path up to and including the subresource. */
  readonly stem: string;
  /** The undecoded rest with its slash: the path at the target. */
  readonly tail: string;
}

/** A request that is answered and not stored, such as an access review. */
export interface QuestionRequest extends Served<VirtualRoute> {
  readonly kind: "question";
  readonly verb: "create";
}

/** A request that acts on an object. */
export interface ActionRequest extends Served<ActionRoute> {
  readonly kind: "action";
  readonly verb: "create";
}

/** A request for the earlier states of an object, or to bring one back. */
export interface HistoryRequest extends Served<HistoryRoute> {
  readonly kind: "history";
  readonly verb: "get" | "create";
}

/** The members that a request has before its target is read. */
export type Line = Omit<AnyRequest, "verb" | "longRunning">;
