// Tasks that run once after start, and their health checks.
import { existsIn, type Vocabulary } from "@orch/schema";
import { ALL_ENDPOINTS, type HealthCheck, StartHook } from "./health-checks";

/** Tasks after start. Each is a check of its own until it is done. */
export interface StartHooks {
  readonly cache: StartHook;
  /** The resources that admission plugins read are followed. */
  readonly admission: StartHook;
  readonly definitions: StartHook;
  readonly namespaces: StartHook;
  readonly roles: StartHook;
  readonly priorityClasses: StartHook;
  /** All registrations are known and reconciled. */
  readonly registrations: StartHook;
  readonly availability: StartHook;
  readonly autoregistration: StartHook;
  readonly authenticationInfo: StartHook;
  /** The stored flow control configuration is in force. */
  readonly flowControl: StartHook;
  readonly flowControlObjects: StartHook;
  /** Addresses and ports of services have been repaired once. */
  readonly allocationRepair: StartHook;
  /** The published schema follows the served resources. */
  readonly openapi: StartHook;
  /** The start of the tracking of tokens in Secrets is recorded. */
  readonly legacyTokens: StartHook;
  /** The identity Lease of the server is written. */
  readonly identityLease: StartHook;
  /** The election of leaders for other programs runs, or waits for its turn. */
  readonly leaderElections: StartHook;
  /** The StorageVersions of the server are written. */
  readonly storageVersions: StartHook;
  /** The default ServiceCIDR exists. */
  readonly serviceCidr: StartHook;
}

export const startHooks = (): StartHooks => ({
  cache: new StartHook(),
  admission: new StartHook(),
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
  allocationRepair: new StartHook(),
  openapi: new StartHook(),
  legacyTokens: new StartHook(),
  identityLease: new StartHook(),
  leaderElections: new StartHook(),
  storageVersions: new StartHook(),
  serviceCidr: new StartHook(),
});

interface HookDeps {
  readonly vocabulary: Vocabulary;
  readonly release: string;
  /** Whether priority and fairness is used in place of the limits of requests in flight. */
  readonly fairness: boolean;
  readonly gates: Readonly<Record<string, boolean>>;
}

type HookRow = readonly [
  name: string,
  hook: StartHook,
  when?: { readonly since?: string; readonly until?: string; readonly gate?: string },
];

/**
 * Checks of the start, with the names of Kubernetes' post-start hooks. Source: test/e2e/apimachinery/health_handlers.go
 * of each Kubernetes release.
 */
export function startHookChecks(
  { vocabulary, release, fairness, gates }: HookDeps,
  hooks: StartHooks,
): readonly HealthCheck[] {
  const names = vocabulary.healthChecks;
  const rows: readonly HookRow[] = [
    [names.poststarthookStartOrchApiserverAdmissionInitializer, hooks.admission, { until: "1.29" }],
    [hookName("start-apiserver-admission-initializer"), hooks.admission, { since: "1.30" }],
    [hookName("generic-apiserver-start-informers"), hooks.cache],
    ...(fairness
      ? ([
          [hookName("priority-and-fairness-config-consumer"), hooks.flowControl],
          [hookName("priority-and-fairness-filter"), hooks.flowControl],
        ] as const)
      : ([[hookName("max-in-flight-filter"), hooks.flowControl]] as const)),
    [hookName("storage-object-count-tracker-hook"), hooks.cache, { since: "1.23" }],
    [hookName("start-apiextensions-informers"), hooks.cache],
    [hookName("start-apiextensions-controllers"), hooks.definitions],
    [hookName("crd-informer-synced"), hooks.definitions],
    [hookName("start-system-namespaces-controller"), hooks.namespaces, { since: "1.27" }],
    [hookName("bootstrap-controller"), hooks.namespaces],
    [names.poststarthookStartOrchApiserverIdentityLeaseController, hooks.identityLease, IDENTITY],
    [names.poststarthookStartOrchApiserverIdentityLeaseGarbageCollector, hooks.identityLease, IDENTITY],
    [
      names.poststarthookStartOrchApiserverCoordinatedLeaderElectionController,
      hooks.leaderElections,
      { gate: "CoordinatedLeaderElection" },
    ],
    [hookName("start-legacy-token-tracking-controller"), hooks.legacyTokens, { since: "1.27" }],
    [hookName("storage-readiness"), hooks.cache, { since: "1.36" }],
    [names.poststarthookStartOrchServiceCidrController, hooks.serviceCidr, { since: "1.33" }],
    [hookName("start-service-ip-repair-controllers"), hooks.allocationRepair, { since: "1.28" }],
    [hookName("rbac/bootstrap-roles"), hooks.roles],
    [hookName("scheduling/bootstrap-system-priority-classes"), hooks.priorityClasses],
    ...(fairness ? ([[hookName("priority-and-fairness-config-producer"), hooks.flowControlObjects]] as const) : []),
    [hookName("start-cluster-authentication-info-controller"), hooks.authenticationInfo],
    [names.poststarthookStartOrchAggregatorInformers, hooks.registrations],
    [hookName("aggregator-reload-proxy-client-cert"), hooks.registrations, { since: "1.23" }],
    [hookName("apiservice-registration-controller"), hooks.registrations],
    [hookName("apiservice-discovery-controller"), hooks.registrations, { since: "1.27" }],
    [hookName("apiservice-status-available-controller"), hooks.availability, { until: "1.30" }],
    [hookName("apiservice-status-local-available-controller"), hooks.availability, { since: "1.31" }],
    [hookName("apiservice-status-remote-available-controller"), hooks.availability, { since: "1.31" }],
    [names.poststarthookOrchApiserverAutoregistration, hooks.autoregistration],
    [hookName("built-in-resources-storage-version-updater"), hooks.storageVersions, { gate: "StorageVersionAPI" }],
    [hookName("apiservice-openapi-controller"), hooks.openapi],
    [hookName("apiservice-openapiv3-controller"), hooks.openapi, { since: "1.24" }],
  ];
  return rows
    .filter(([, , when = {}]) => existsIn(when, release) && (when.gate === undefined || gates[when.gate] === true))
    .map(([name, { probe }]) => ({ name, endpoints: ALL_ENDPOINTS, probe, startHook: true }));
}

const IDENTITY = { since: "1.26", gate: "APIServerIdentity" };

const hookName = (name: string): string => `poststarthook/${name}`;
