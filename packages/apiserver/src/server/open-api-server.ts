// Opens a server: its metrics, certificates, access control and stores. The program and servers inside other processes
// open theirs here.

import { hostname } from "node:os";
import { type Alone, openAudit } from "@orch/audit";
import type { LocalToken } from "@orch/auth";
import { ClientRevocation, type SelfSignedCa, ServingTls } from "@orch/http-server";
import { type Logger, openTracing, queueFigures, ServerMetrics } from "@orch/observability";
import type { Clock, Dialer, GroupMember, QueueMetrics } from "@orch/platform";
import { servedAdditions } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import { otherStores } from "@orch/served-resources";
import { openRemoteServices, readPluginConfigurations } from "@orch/server-admission";
import {
  measureExpressions,
  openAuthentication,
  openAuthorization,
  openEgress,
  openEncryption,
  openSigner,
  type ServerConfig,
  type Settings,
  tracingConfiguration,
} from "@orch/server-config";
import type { Additions, Store } from "@orch/store";
import { ChangeRecorder } from "../recording/change-recorder";
import { ApiServer } from "./api-server";
import type { ServerSeams } from "./api-server-parts";

export interface OpenApiServerOptions {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  /** Authority of the serving certificate; undefined when options name a certificate. */
  readonly authority: SelfSignedCa | undefined;
  /** Clock for certificate validity and renewal. */
  readonly clock: Clock;
  /** Membership in a group of workers. Absent: the only process. */
  readonly group?: GroupMember | undefined;
  /** Whether the process runs for this server only. Its metrics then count for the process and its log as well. */
  readonly ownsProcess: boolean;
  openStores(parts: StoreParts): Promise<OpenedStores>;
  /** Called when the stores are open. */
  credentials(): ServerCredentials;
  readonly seams?: ServerSeams;
}

/** Opened parts that stores need. */
export interface StoreParts {
  readonly metrics: ServerMetrics;
  /** Data that the store keeps beside each value; undefined when values are encrypted. */
  readonly additions: Additions | undefined;
  /** Opens connections to etcd; undefined: they are direct. */
  readonly etcdDialer: Dialer | undefined;
}

interface OpenedStores {
  readonly store: Store;
  /** One for each of the overrides in `settings`. */
  readonly others: readonly Store[];
  close(): Promise<void>;
}

/** Configuration and credentials of this server alone. */
interface ServerCredentials {
  /** The options, completed with the server's own certificates. */
  readonly config: ServerConfig;
  /** PEM of the private key that signs service account tokens when no option names one. */
  readonly accountKey: string | undefined;
  /** Token of a user who is admitted with it from this machine only. */
  readonly localToken?: LocalToken | undefined;
}

export interface OpenedApiServer {
  readonly server: ApiServer;
  readonly metrics: ServerMetrics;
  /** Returns metrics of the server for a work queue in its process. */
  readonly queueMetrics: (queue: string) => QueueMetrics;
  readonly tls: ServingTls;
  /** Closes what stays open after the server has stopped. */
  close(): Promise<void>;
}

/** @throws Error for a store or a file that cannot be opened */
export async function openApiServer(options: OpenApiServerOptions): Promise<OpenedApiServer> {
  const { config, settings, vocabulary, logger, authority, clock, group, seams } = options;
  const metrics = newMetrics(options);
  const endTimings = measureExpressions(metrics);
  if (options.ownsProcess) {
    const linesLost = metrics.counter("apiserver_log_lines_lost_total");
    logger.losses.follow((lines) => linesLost.inc(lines));
  }
  const tls = new ServingTls({ config, authority, logger, metrics, clock });
  tls.material();
  const revocation = await ClientRevocation.open({ config, tls, logger, metrics, nowMs: Date.now });
  const { gates, release } = settings;
  const egress = await openEgress({ config, vocabulary, release, metrics });
  const authorization = await openAuthorization({ config, vocabulary, release, gates, logger, metrics, egress });
  const alone: Alone | undefined = group && ((at, work) => group.alone(at, work));
  const audit = await openAudit({ config, vocabulary, release, logger, metrics, alone, egress });
  const authentication = await openAuthentication({ config, vocabulary, release, gates, logger, metrics, egress });
  const signer = await openSigner({ config, release, logger, metrics });
  const configurations = await readPluginConfigurations({ config, vocabulary, settings, logger });
  const remotes = await openRemoteServices({ settings, vocabulary, logger });
  const encryption = await openEncryption({ config, vocabulary, logger, metrics });
  const configuration = await tracingConfiguration(config, vocabulary, settings);
  const additions = encryption === undefined ? servedAdditions : undefined;
  const stores = await options.openStores({ metrics, additions, etcdDialer: egress.dialer("etcd") });
  const encrypted = (store: Store): Store => encryption?.over(store) ?? store;
  const close = async (): Promise<void> => {
    await recorder?.close();
    await stores.close();
    signer?.close();
    endTimings();
    metrics.close();
  };
  const tracer = openTracing({ configuration, logger, instance: tracedInstance(options) });
  const access = { revocation, authentication, authorization, audit };
  const opened = encrypted(stores.store);
  const recorder =
    config.record === ""
      ? undefined
      : await ChangeRecorder.open({
          ...{ file: config.record, recordsSecrets: config["record-secrets"], prefix: config["etcd-prefix"] },
          ...{ vocabulary: vocabulary.name, release, logger, clock },
        });
  const store = (await recorder?.over(opened)) ?? opened;
  const others = otherStores(settings.storeOverrides, stores.others.map(encrypted));
  try {
    const server = new ApiServer({
      ...{ settings, vocabulary, logger, metrics, tls, configurations, remotes, encryption, tracer },
      ...{ store, otherStores: others, identity: group?.identity, signer, egress, requesters: recorder?.requesters },
      ...access,
      ...options.credentials(),
      ...(seams && { seams }),
    });
    return { server, metrics, queueMetrics: queueFigures(metrics), tls, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the identity that traces show: the host, and the worker when there are several. */
function tracedInstance({ group }: OpenApiServerOptions): string {
  return group === undefined ? hostname() : `${hostname()}-${group.identity.number}`;
}

const newMetrics = ({ config, settings, logger, group, ownsProcess }: OpenApiServerOptions): ServerMetrics =>
  new ServerMetrics({
    disabled: config["disabled-metrics"],
    allowedLabels: settings.allowedLabels,
    process: ownsProcess,
    release: settings.release,
    showHidden: config["show-hidden-metrics-for-version"] !== "",
    // Every worker registers the same metrics; only the first logs the warning.
    warn: (text) => (group?.identity.isFirst ?? true) && logger.warn(text),
    group,
  });
