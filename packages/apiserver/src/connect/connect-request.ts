// A request that leads out of the server, and what is needed to carry it out.
import type { TrustedHeaders } from "@orch/extensions";
import type { Admission } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { FeatureGates } from "../flags/feature-gates";
import type { ApiRequest, ApiResponse } from "../pipeline/request-context";
import type { ConnectionRequest as ConnectionInfo } from "../pipeline/request-info";
import type { ProxyDeps } from "./proxy-target";

export interface ConnectDeps extends ProxyDeps {
  readonly vocabulary: Vocabulary;
  readonly gates: Pick<FeatureGates, "AllowInsecureBackendProxy">;
  readonly admission: Admission;
  /** Headers by which a front proxy may tell a user. */
  readonly trusted: () => TrustedHeaders;
}

export interface ConnectRequest {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  /** Its key's name is as it is in the path: of a proxied object with a scheme and a port. */
  readonly info: ConnectionInfo;
}
