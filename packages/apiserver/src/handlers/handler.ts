// Common types of the verb handlers.

import type { Authenticator, Authorizer } from "@orch/auth";
import type { Admission, UserInfo } from "@orch/machinery";
import type { ServerMetrics } from "@orch/observability";
import type { ConnectDeps } from "@orch/proxy";
import type { DynamicScope, EventLoopYielder, Registry } from "@orch/registry";
import type {
  AnswerForms,
  ApiRequest,
  ApiResponse,
  CollectionRequest,
  ItemRequest,
  PiecePool,
  ResourceRoutes,
  Route,
} from "@orch/request";
import type { Schema, Vocabulary } from "@orch/schema";
import type { AcknowledgedWrites } from "@orch/served-resources";
import type { FeatureGates } from "@orch/server-config";
import type { LargeWrites } from "../large-objects/worker-calls";
import type { WatchFlusher } from "./watch-flusher";

/** Dependencies of writes. */
export interface WriteDeps {
  readonly vocabulary: Vocabulary;
  readonly routes: ResourceRoutes;
  readonly forms: AnswerForms;
  readonly gates: FeatureGates;
  readonly authorizer: Pick<Authorizer, "authorize">;
  /** Admission for objects that are created but not stored; the registry calls it for all others. */
  readonly admission: Admission;
  /** Awaited before writes are answered. Absent: they are answered by another thread. */
  readonly acknowledged?: Pick<AcknowledgedWrites, "inForce"> | undefined;
}

export interface HandlerDeps extends WriteDeps {
  /** Kubernetes release whose API is served, such as `1.23`. */
  readonly release: string;
  readonly schema: Schema;
  readonly metrics: ServerMetrics;
  readonly registry: Pick<Registry, "readTogether" | "watchTogether">;
  readonly flusher: WatchFlusher;
  /** Buffers into which lists are encoded. */
  readonly pieces: PiecePool;
  /** Turns of the event loop, for work on many objects. */
  readonly loop: EventLoopYielder;
  readonly authorizer: Authorizer;
  /** Authenticates bearer tokens only. */
  readonly tokens: Authenticator;
  /** Default audiences of tokens: those of this server. */
  readonly ownAudiences: readonly string[];
  /** Namespaces in which a user has full access. */
  readonly accessible: { of(user: UserInfo): DynamicScope };
  /** `--min-request-timeout`, in seconds. */
  readonly minWatchSeconds: number;
  /** `--delete-collection-workers`. */
  readonly deleteWorkers: number;
  /** Carries out writes that take long. Absent: they are carried out here. */
  readonly largeObjectWorkers?: LargeWrites;
  readonly connections: ConnectDeps;
  /** Random number in [0, 1). */
  random(): number;
  /** Called for each request to a deprecated version. */
  deprecatedRequest(request: ApiRequest, route: Route): void;
}

/** A request for a resource; `info` holds the attributes of its method, path and query. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly info: CollectionRequest | ItemRequest;
}

export type VerbHandler<Deps = HandlerDeps> = (deps: Deps, asked: ResourceRequest) => void | Promise<void>;
