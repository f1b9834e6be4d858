// A request to a backend outside the server, and the parts needed to forward it.
import type { TrustedHeaders } from "@orch/extensions";
import type { Admission } from "@orch/machinery";
import type { ApiRequest, ApiResponse, ConnectionRequest as ConnectionInfo } from "@orch/request";
import type { Vocabulary } from "@orch/schema";
import type { FeatureGates } from "@orch/server-config";
import type { ProxyDeps } from "./proxy-target";

export interface ConnectDeps extends ProxyDeps {
  readonly vocabulary: Vocabulary;
  readonly gates: Pick<FeatureGates, "AllowInsecureBackendProxy">;
  readonly admission: Admission;
  /**
   * Requires permission to create for streams to pods, which a WebSocket opens by a GET request. Undefined: streams
   * need permission for the verb of the request only.
   * @throws StatusError Forbidden (403)
   */
  readonly requireCreate: ((request: ApiRequest) => void | Promise<void>) | undefined;
  /** Called for each log from a kubelet, and when the certificate of the kubelet was not accepted. Must return at once. */
  readonly logsRead?: (event: LogRead) => void;
  /** Headers by which a front proxy may name a user. */
  readonly trusted: () => TrustedHeaders;
}

/** Whether the certificate of the kubelet is verified; or that it could not be. */
export type LogRead = "verified" | "unverified" | "tlsFailed";

export interface ConnectRequest {
  readonly request: ApiRequest;
  readonly response: ApiResponse;
  /** The name in the key is as in the path: it may include scheme and port of a proxied object. */
  readonly info: ConnectionInfo;
}
