// What the handlers of verbs have in common.

import type { Authenticator, Authorizer } from "@orch/auth";
import type { Admission, UserInfo } from "@orch/machinery";
import type { LoopTurns, MovingScope } from "@orch/registry";
import type { Schema, Vocabulary } from "@orch/schema";
import type { ConnectDeps } from "../connect/connect-request";
import type { FeatureGates } from "../flags/feature-gates";
import type { LargeWrites } from "../lane/lane-work";
import type { ServerMetrics } from "../metrics/server-metrics";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import type { CollectionRequest, ItemRequest } from "../pipeline/request-info";
import type { AnswerForms } from "../representations/forms/answer-forms";
import type { PiecePool } from "../representations/forms/piece-writer";
import type { Route } from "../routes/resource-route";
import type { ResourceRoutes } from "../routes/resource-routes";
import type { AcknowledgedWrites } from "../server/acknowledged-writes";
import type { WatchFlusher } from "./watch-flusher";

/** What writes need. */
export interface WriteDeps {
  readonly vocabulary: Vocabulary;
  readonly routes: ResourceRoutes;
  readonly forms: AnswerForms;
  readonly gates: FeatureGates;
  readonly authorizer: Pick<Authorizer, "authorize">;
  /** For what is created and stored nowhere; the registry asks it for everything else. */
  readonly admission: Admission;
  /** Asked before writes are answered. Absent: they are answered elsewhere. */
  readonly acknowledged?: Pick<AcknowledgedWrites, "inForce"> | undefined;
}

export interface HandlerDeps extends WriteDeps {
  readonly schema: Schema;
  readonly metrics: ServerMetrics;
  readonly flusher: WatchFlusher;
  /** What lists are written into. */
  readonly pieces: PiecePool;
  /** For work on many objects. */
  readonly loop: LoopTurns;
  readonly authorizer: Authorizer;
  /** Bearer tokens alone. */
  readonly tokens: Authenticator;
  /** The server's names: for whom tokens are where nobody says. */
  readonly ownAudiences: readonly string[];
  /** The namespaces in which a user may do anything. */
  readonly accessible: { of(user: UserInfo): MovingScope };
  /** `--min-request-timeout`, in seconds. */
  readonly minWatchSeconds: number;
  /** `--delete-collection-workers`. */
  readonly deleteWorkers: number;
  /** For writes that take long. Absent: they are carried out here. */
  readonly lane?: LargeWrites;
  readonly connections: ConnectDeps;
  /** From 0 to below 1. */
  random(): number;
  /** A route of a deprecated version was asked. */
  deprecatedRequest(request: ApiRequest, route: Route): void;
}

/** One request for a resource: `info` says all that is asked by method, path and query. */
export interface ResourceRequest {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  readonly info: CollectionRequest | ItemRequest;
}

export type VerbHandler<Deps = HandlerDeps> = (deps: Deps, asked: ResourceRequest) => void | Promise<void>;
