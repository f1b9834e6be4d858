// What it means for this server to be alive and ready. Source: facts, http.md "Health".
import type { LogLosses } from "@orch/platform";
import type { Registry } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import type { Store } from "@orch/store";
import type { ServerConfig } from "../flags/server-flags";
import {
  ALL_ENDPOINTS,
  bounded,
  type HealthCheck,
  HealthChecks,
  ROUND_TRIP_GOOD_MS,
  StartHook,
} from "../health/health-checks";
import type { Logger } from "../logging/logger";

export interface HealthDeps {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly store: Store;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly stopping: () => boolean;
  /** Priority and fairness, and not the limits of requests in flight. */
  readonly fairness: boolean;
  /** What is amiss without keeping the server from being ready; see HealthChecks. */
  readonly notes: (isKnown: boolean) => readonly string[];
  /** Throws where something that is served was not seen to be registered yet. */
  readonly autoregistered: () => void;
  /** Of what else it rests on. */
  readonly others: readonly HealthCheck[];
}

/** What is done once after start, each a check of its own until it is done. */
export interface StartHooks {
  readonly cache: StartHook;
  readonly definitions: StartHook;
  readonly namespaces: StartHook;
  readonly roles: StartHook;
  readonly priorityClasses: StartHook;
  /** All registrations are known, and looked after. */
  readonly registrations: StartHook;
  readonly availability: StartHook;
  readonly autoregistration: StartHook;
  readonly authenticationInfo: StartHook;
  /** Requests are let in by what is stored. */
  readonly flowControl: StartHook;
  readonly flowControlObjects: StartHook;
}

export interface ServerHealth {
  readonly checks: HealthChecks;
  readonly hooks: StartHooks;
}

export function healthOfServer(deps: HealthDeps): ServerHealth {
  const { config, store, registry } = deps;
  const startedMs = performance.now();
  const graceMs = config["livez-grace-period"];
  const checks = new HealthChecks({
    logger: deps.logger,
    notes: (isKnown) => [...notesOf(deps.logger.losses), ...deps.notes(isKnown)],
    inGracePeriod: () => performance.now() - startedMs < graceMs,
  });
  const hooks: StartHooks = {
    cache: new StartHook(),
    definitions: new StartHook(),
    namespaces: new StartHook(),
    roles: new StartHook(),
    priorityClasses: new StartHook(),
    registrations: new StartHook(),
    availability: new StartHook(),
    autoregistration: new StartHook(),
    authenticationInfo: new StartHook(),
    flowControl: new StartHook(),
    flowControlObjects: new StartHook(),
  };
  const isElsewhere = store.endpoints.some(({ url }) => url !== undefined);
  const bounds = { goodForMs: isElsewhere ? ROUND_TRIP_GOOD_MS : 0, nowMs: () => performance.now() };
  const rows: readonly HealthCheck[] = [
    { name: "ping", endpoints: ALL_ENDPOINTS, probe: () => {} },
    { name: "log", endpoints: ALL_ENDPOINTS, probe: logIsWritable },
    {
      name: deps.vocabulary.healthChecks.store,
      endpoints: ["healthz", "livez"],
      probe: bounded(() => roundTrip(store, config), { ...bounds, boundMs: config["etcd-healthcheck-timeout"] }),
    },
    {
      name: deps.vocabulary.healthChecks.store,
      endpoints: ["readyz"],
      probe: bounded(() => takesWrites(store, config), { ...bounds, boundMs: config["etcd-readycheck-timeout"] }),
    },
    ...deps.others,
    { name: "informer-sync", endpoints: ["readyz"], probe: () => followsStore(registry) },
    hook("generic-apiserver-start-informers", hooks.cache),
    hook("crd-informer-synced", hooks.definitions),
    hook("bootstrap-controller", hooks.namespaces),
    hook("rbac/bootstrap-roles", hooks.roles),
    hook("scheduling/bootstrap-system-priority-classes", hooks.priorityClasses),
    ...(deps.fairness
      ? [
          hook("priority-and-fairness-config-consumer", hooks.flowControl),
          hook("priority-and-fairness-filter", hooks.flowControl),
          hook("priority-and-fairness-config-producer", hooks.flowControlObjects),
        ]
      : [hook("max-in-flight-filter", hooks.flowControl)]),
    hook("start-cluster-authentication-info-controller", hooks.authenticationInfo),
    { ...hook("", hooks.registrations), name: deps.vocabulary.healthChecks.poststarthookStartOrchAggregatorInformers },
    hook("apiservice-registration-controller", hooks.registrations),
    hook("apiservice-status-available-controller", hooks.availability),
    {
      ...hook("", hooks.autoregistration),
      name: deps.vocabulary.healthChecks.poststarthookOrchApiserverAutoregistration,
    },
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
  return { checks, hooks };
}

const hook = (name: string, { probe }: StartHook): HealthCheck => ({
  name: `poststarthook/${name}`,
  endpoints: ALL_ENDPOINTS,
  probe,
  startHook: true,
});

/** A server without a log serves as well as any: to take it away, or start it anew, would help nobody. */
const notesOf = ({ error, lines }: LogLosses): readonly string[] =>
  error === "" ? [] : [`the log cannot be written: ${error}; ${lines} lines are lost`];

function logIsWritable(): void {
  if (!process.stderr.writable) throw new Error("standard error is closed");
}

/** A linearizable read of one key that need not exist. */
async function roundTrip(store: Store, config: ServerConfig): Promise<void> {
  const timeoutMs = config["etcd-healthcheck-timeout"];
  await store.range({ start: `${config["etcd-prefix"]}/health`, keysOnly: true }, { timeoutMs });
}

/** Reachable, and in order: not full, say. */
async function takesWrites(store: Store, config: ServerConfig): Promise<void> {
  const timeoutMs = config["etcd-readycheck-timeout"];
  const [{ alarms }] = await Promise.all([store.status({ timeoutMs }), roundTrip(store, config)]);
  if (alarms.length > 0) throw new Error(`the store is not well: ${alarms.join(", ")}`);
}

function followsStore(registry: Registry): void {
  const { synced, connected, lastError } = registry.health();
  if (!synced) throw new Error(`the cache is not filled yet${lastError === undefined ? "" : `: ${lastError}`}`);
  if (!connected) throw new Error(`the cache has lost the store${lastError === undefined ? "" : `: ${lastError}`}`);
}
