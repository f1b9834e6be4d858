// Liveness and readiness checks of this server. Source: staging/src/k8s.io/apiserver/pkg/server/healthz/healthz.go.

import {
  ALL_ENDPOINTS,
  bounded,
  type HealthCheck,
  HealthChecks,
  HealthIndicators,
  type Logger,
  ROUND_TRIP_GOOD_MS,
  type StartHooks,
  startHookChecks,
  startHooks,
} from "@orch/observability";
import type { LogLosses } from "@orch/platform";
import type { Registry } from "@orch/registry";
import { existsIn, type Vocabulary } from "@orch/schema";
import type { ServerConfig } from "@orch/server-config";
import type { Store } from "@orch/store";

export interface HealthDeps {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  /** Kubernetes release, which determines the names of checks. */
  readonly release: string;
  /** All of them must be reachable. */
  readonly stores: readonly Store[];
  readonly registry: Registry;
  readonly logger: Logger;
  readonly stopping: () => boolean;
  /** Whether priority and fairness applies instead of the in-flight limits. */
  readonly fairness: boolean;
  readonly gates: Readonly<Record<string, boolean>>;
  /** Conditions that do not affect readiness; see HealthChecks. */
  readonly notes: (isKnown: boolean) => readonly string[];
  /** Throws when a served group version was not yet seen registered. */
  readonly autoregistered: () => void;
  /** Checks of other dependencies. */
  readonly others: readonly HealthCheck[];
}

export interface ServerHealth {
  readonly checks: HealthChecks;
  readonly hooks: StartHooks;
  /** Results as metrics; undefined in releases that do not have them. */
  readonly indicators: HealthIndicators | undefined;
}

export function healthOfServer(deps: HealthDeps): ServerHealth {
  const { config, stores, registry } = deps;
  const startedMs = performance.now();
  const graceMs = config["livez-grace-period"];
  const indicators =
    deps.gates["ComponentSLIs"] === true ? new HealthIndicators(deps.vocabulary.metricsNames) : undefined;
  const checks = new HealthChecks({
    ...(indicators && { observed: (...result) => indicators.record(...result) }),
    logger: deps.logger,
    notes: (isKnown) => [...notesOf(deps.logger.losses), ...deps.notes(isKnown)],
    // One line ends the answers of all three endpoints; Kubernetes has one for each.
    passedLine: (endpoint) => `${deps.vocabulary.name === "orch" ? "healthz" : endpoint} check passed`,
    inGracePeriod: () => performance.now() - startedMs < graceMs,
  });
  const hooks = startHooks();
  const isElsewhere = stores.some(({ endpoints }) => endpoints.some(({ url }) => url !== undefined));
  const bounds = { goodForMs: isElsewhere ? ROUND_TRIP_GOOD_MS : 0, nowMs: () => performance.now() };
  const { healthChecks } = deps.vocabulary;
  const name = healthChecks.store;
  const ofStore = { name, alias: name === STORE ? undefined : STORE };
  const storeReady = bounded(() => ofAll(stores, (store) => takesWrites(store, config)), {
    ...bounds,
    boundMs: config["etcd-readycheck-timeout"],
  });
  const rows: readonly HealthCheck[] = [
    { name: "ping", endpoints: ALL_ENDPOINTS, probe: () => {} },
    { name: "log", endpoints: ALL_ENDPOINTS, probe: logIsWritable },
    {
      ...ofStore,
      endpoints: ["healthz", "livez"],
      probe: bounded(() => ofAll(stores, (store) => roundTrip(store, config)), {
        ...bounds,
        boundMs: config["etcd-healthcheck-timeout"],
      }),
    },
    { ...ofStore, endpoints: ["readyz"], probe: storeReady },
    ...(existsIn(READY_STORE, deps.release)
      ? [{ name: `${name}-readiness`, endpoints: ["readyz"] as const, probe: storeReady }]
      : []),
    ...deps.others,
    { name: "informer-sync", endpoints: ["readyz"], probe: () => followsStore(registry) },
    ...startHookChecks(deps, hooks),
    { name: "autoregister-completion", endpoints: ALL_ENDPOINTS, probe: deps.autoregistered, startHook: true },
    {
      name: "shutdown",
      endpoints: ["readyz"],
      probe() {
        if (deps.stopping()) throw new Error("process is shutting down");
      },
    },
  ];
  for (const row of rows) checks.add(row);
  return { checks, hooks, indicators };
}

/** Releases that list the readiness of the store as a check of its own. */
const READY_STORE = { since: "1.24" };

/** Name of the store's check in every vocabulary. */
const STORE = "store";

/** A server that cannot write its log stays ready: to remove or restart it would not help. */
const notesOf = ({ error, lines }: LogLosses): readonly string[] =>
  error === "" ? [] : [`the log cannot be written: ${error}; ${lines} lines were dropped`];

function logIsWritable(): void {
  if (!process.stderr.writable) throw new Error("standard error is closed");
}

async function ofAll(stores: readonly Store[], probe: (store: Store) => Promise<void>): Promise<void> {
  await Promise.all(stores.map(probe));
}

/** A linearizable read of one key that need not exist. */
async function roundTrip(store: Store, config: ServerConfig): Promise<void> {
  const timeoutMs = config["etcd-healthcheck-timeout"];
  await store.range({ start: `${config["etcd-prefix"]}/health`, keysOnly: true }, { timeoutMs });
}

/** Checks that the store is reachable and not, for example, full. */
async function takesWrites(store: Store, config: ServerConfig): Promise<void> {
  const timeoutMs = config["etcd-readycheck-timeout"];
  const [{ alarms }] = await Promise.all([store.status({ timeoutMs }), roundTrip(store, config)]);
  if (alarms.length > 0) throw new Error(`the store reports alarms: ${alarms.join(", ")}`);
}

function followsStore(registry: Registry): void {
  const { synced, connected, lastError } = registry.health();
  if (!synced) throw new Error(`the watch cache is not initialized${lastError === undefined ? "" : `: ${lastError}`}`);
  if (!connected)
    throw new Error(
      `the watch cache has lost its connection to the store${lastError === undefined ? "" : `: ${lastError}`}`,
    );
}
