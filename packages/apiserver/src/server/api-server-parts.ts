// The parts of a server, opened by its caller, and the seams for tests.
import type { PluginFactory } from "@orch/admission";
import type { AuditSink, OpenAudit } from "@orch/audit";
import type { Authorizer, LocalToken } from "@orch/auth";
import type { ConverterFactory } from "@orch/extensions";
import type { ClientRevocation, ServingTls } from "@orch/http-server";
import type { Logger, RequestTracer, ServerMetrics } from "@orch/observability";
import type { Clock, EgressSelector, WorkerIdentity } from "@orch/platform";
import type { Registry } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { OtherStores, ServedResources } from "@orch/served-resources";
import type { OpenRemoteServices, PluginConfigurations } from "@orch/server-admission";
import type {
  ExternalSigner,
  OpenAuthentication,
  OpenAuthorization,
  OpenEncryption,
  ServerConfig,
  Settings,
} from "@orch/server-config";
import type { Store } from "@orch/store";
import type { Requesters } from "../recording/requesters";

export interface ApiServerParts {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  /** Closed by its owner after the server has stopped. */
  readonly store: Store;
  /** Closed as `store` is. */
  readonly otherStores?: OtherStores | undefined;
  readonly tls: ServingTls;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly configurations: PluginConfigurations;
  /** Closed with the server. */
  readonly remotes: OpenRemoteServices;
  /** Token of a user who is admitted with it from this machine only. */
  readonly localToken?: LocalToken | undefined;
  /** Revocation of client certificates. Closed with the server. */
  readonly revocation?: ClientRevocation | undefined;
  /** PEM of the private key that signs service account tokens when no option names one. */
  readonly accountKey?: string | undefined;
  /** Signer of service account tokens that the server closes when it stops. */
  readonly signer?: ExternalSigner | undefined;
  /** Closed with the server. */
  readonly authorization: OpenAuthorization;
  /** Closed with the server. */
  readonly audit?: OpenAudit | undefined;
  /** Closed with the server. */
  readonly authentication: OpenAuthentication;
  /** Encryption of stored values; the store already applies it. Closed with the server. */
  readonly encryption?: OpenEncryption | undefined;
  /** Dialers by the network of a destination. */
  readonly egress: EgressSelector;
  /** Undefined when changes are not recorded. */
  readonly requesters?: Requesters | undefined;
  /** Undefined when tracing is off. Closed with the server. */
  readonly tracer?: RequestTracer | undefined;
  /** Set for a process that is one of several workers on one port. */
  readonly identity?: WorkerIdentity | undefined;
  readonly seams?: ServerSeams;
}

/** Seams at which tests observe the server's parts. Each receives the server's part and returns the one to use. */
export interface ServerSeams {
  readonly registry?: (made: Registry) => Registry;
  readonly authorizer?: (made: Authorizer) => Authorizer;
  readonly plugins?: (made: readonly PluginFactory[]) => readonly PluginFactory[];
  /** Additional audit sinks. */
  readonly audit?: readonly AuditSink[];
  /** Called once with the resource table, through which resources come and go while the server runs. */
  readonly resources?: (made: ServedResources) => void;
  /** Makes the converters of definitions with a conversion webhook. */
  readonly converters?: ConverterFactory;
  /** Folder of the console's files, in place of that of the build. */
  readonly consoleFolder?: string;
  /** Clock for certificate validity and renewal. */
  readonly clock?: Clock;
}
