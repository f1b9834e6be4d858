// What a server is put together from, opened by whoever starts it, and where tests look into it.
import type { PluginFactory } from "@orch/admission";
import type { Authorizer, LocalToken } from "@orch/auth";
import type { ConverterFactory } from "@orch/extensions";
import type { Clock, WorkerSeat } from "@orch/platform";
import type { Registry } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { Store } from "@orch/store";
import type { PluginConfigurations } from "../admission/plugin-configurations";
import type { OpenRemoteServices } from "../admission/remote-services";
import type { AuditSink } from "../audit/audit-event";
import type { OpenAudit } from "../audit/open-audit";
import type { OpenAuthentication } from "../authentication/open-authentication";
import type { OpenAuthorization } from "../authorization/open-authorization";
import type { OpenEncryption } from "../encryption/open-encryption";
import type { ServerConfig } from "../flags/server-flags";
import type { Settings } from "../flags/settings";
import type { Logger } from "../logging/logger";
import type { ServerMetrics } from "../metrics/server-metrics";
import type { ClientRevocation } from "../tls/client-revocation";
import type { ServingTls } from "../tls/serving-tls";
import type { OtherStores } from "./other-stores";
import type { ServedResources } from "./served-resources";

export interface ApiServerParts {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  /** Closed by whoever opened it, after the server has stopped. */
  readonly store: Store;
  /** Closed as `store` is. */
  readonly otherStores?: OtherStores | undefined;
  readonly tls: ServingTls;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
  readonly configurations: PluginConfigurations;
  /** Closed with the server. */
  readonly remotes: OpenRemoteServices;
  /** Of a user who is let in with it on this machine alone. */
  readonly localToken?: LocalToken | undefined;
  /** Of client certificates. Closed with the server. */
  readonly revocation?: ClientRevocation | undefined;
  /** PEM of a private key that signs service account tokens where no option names one. */
  readonly accountKey?: string | undefined;
  /** Closed with the server. */
  readonly authorization: OpenAuthorization;
  /** Closed with the server. */
  readonly audit?: OpenAudit | undefined;
  /** Closed with the server. */
  readonly authentication: OpenAuthentication;
  /** Of the values of the store, which is seen through it already. Closed with the server. */
  readonly encryption?: OpenEncryption | undefined;
  /** Of a process that is one of several which serve at one port. */
  readonly seat?: WorkerSeat | undefined;
  readonly seams?: ServerSeams;
}

/** Where tests look at what passes between the server's parts. Each is given what the server has made, and returns what it is to use. */
export interface ServerSeams {
  readonly registry?: (made: Registry) => Registry;
  readonly authorizer?: (made: Authorizer) => Authorizer;
  readonly plugins?: (made: readonly PluginFactory[]) => readonly PluginFactory[];
  /** Who keeps the audit. */
  readonly audit?: readonly AuditSink[];
  /** Called once: by these, resources come and go while the server runs. */
  readonly resources?: (made: ServedResources) => void;
  /** Who converts objects of definitions that name a webhook for it. */
  readonly converters?: ConverterFactory;
  /** By which certificates are made, and made anew. */
  readonly clock?: Clock;
}
