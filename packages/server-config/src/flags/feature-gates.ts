// Features that `--feature-gates` switches, and the parsing of the flag. Source: Kubernetes documentation, "Feature
// Gates".
import { FIELD_GATES } from "@orch/apis";
import { compareReleases, type GateRow, helpSection, isOnByDefault } from "@orch/machinery";
import { isOwnComponent, splitComponent } from "./component-names";
import { type GateHistory, gateState, historyText, rowHistory } from "./gate-history";
import { FORMER_GATES } from "./gates-without-effect";
import { knownGates } from "./known-gates";
import { ROLE_GATES } from "./role-gates";

export const FEATURE_GATES = {
  ...FIELD_GATES,
  ...ROLE_GATES,
  AllowInsecureBackendProxy: {
    stages: { beta: "1.17" },
    help: "reading logs from node agents without verifying their certificate, for requests that ask for it",
  },
  APIListChunking: {
    stages: { alpha: "1.8", beta: "1.9", ga: "1.29" },
    removed: "1.33",
    help: "limit and continue of lists",
  },
  APIPriorityAndFairness: {
    stages: { alpha: "1.18", beta: "1.20", ga: "1.29" },
    removed: "1.31",
    help: "flow control of requests by flow schemas and priority levels",
  },
  APIServerIdentity: {
    stages: { alpha: "1.20", beta: "1.26" },
    help: "a Lease for each API server, which shows the live replicas",
  },
  APIServerTracing: {
    stages: { alpha: "1.22", beta: "1.27", ga: "1.34" },
    help: "traces of requests, with --tracing-config-file",
  },
  AllowParsingUserUIDFromCertAuth: {
    stages: { beta: "1.33" },
    help: "the UID of a user in the subject of a client certificate",
  },
  AllowUnsafeMalformedObjectDeletion: {
    stages: { alpha: "1.32" },
    help: "objects that cannot be read are deleted only with ignoreStoreReadErrorWithClusterBreakingPotential",
  },
  AuthorizePodWebsocketUpgradeCreatePermission: {
    stages: { beta: "1.35" },
    help: "permission to create for exec, attach and portforward over a WebSocket",
  },
  AuthorizeWithSelectors: {
    stages: { alpha: "1.31", beta: "1.32", ga: "1.34" },
    help: "field and label selectors of requests in the reviews of authorization webhooks",
  },
  CBORServingAndStorage: {
    stages: { alpha: "1.32" },
    help: "CBOR in requests, answers, watches and apply patches",
  },
  StructuredAuthenticationConfigurationEgressSelector: {
    stages: { beta: "1.34" },
    help: "egressSelectorType of the issuers in --authentication-config",
  },
  ComponentSLIs: {
    stages: { alpha: "1.26", beta: "1.27", ga: "1.32" },
    removed: "1.35",
    help: "the results of health checks at /metrics/slis",
  },
  ComponentFlagz: { stages: { alpha: "1.32", beta: "1.36" }, help: "the page /flagz with the values of all flags" },
  ComponentStatusz: { stages: { alpha: "1.32", beta: "1.36" }, help: "the page /statusz with versions and paths" },
  DetectCacheInconsistency: {
    stages: { beta: "1.34" },
    help: "comparison of the watch cache with the store, and reads from the store after a difference",
  },
  DisableAllocatorDualWrite: {
    stages: { alpha: "1.31", beta: "1.33", ga: "1.34" },
    onSince: "1.34",
    lockedSince: "1.35",
    help: "IPv4 ranges of services larger than a /12, together with MultiCIDRServiceAllocator",
  },
  ConstrainedImpersonation: {
    stages: { alpha: "1.35", beta: "1.36" },
    help: "impersonation by permission for a kind of user and for the action, such as impersonate-on:user-info:list",
  },
  DryRun: { stages: { alpha: "1.12", beta: "1.13", ga: "1.19" }, removed: "1.28", help: "dryRun of writes" },
  EphemeralContainers: {
    stages: { alpha: "1.16", beta: "1.23", ga: "1.25" },
    removed: "1.27",
    help: "containers that are added to a running pod",
  },
  ExternalServiceAccountTokenSigner: {
    stages: { alpha: "1.32", beta: "1.34", ga: "1.36" },
    help: "service account tokens that a signer outside of the server signs",
  },
  LegacyServiceAccountTokenTracking: {
    stages: { alpha: "1.26", beta: "1.27", ga: "1.28" },
    removed: "1.30",
    help: "labels of Secrets with the date of the last use of their service account token",
  },
  ManifestBasedAdmissionControlConfig: {
    stages: { alpha: "1.36", beta: "1.37" },
    help: "admission webhooks and policies in the files of staticManifestsDir, which the configuration of a plugin names",
  },
  ServiceAccountNodeAudienceRestriction: {
    stages: { beta: "1.32" },
    onSince: "1.33",
    help: "tokens that node agents request only for audiences of the pod or that they are granted",
  },
  ServerSideApply: {
    stages: { alpha: "1.14", beta: "1.16", ga: "1.22" },
    removed: "1.32",
    help: "apply patches and field ownership",
  },
  ShardedListAndWatch: {
    stages: { alpha: "1.36" },
    help: "shardSelector in lists and watches: the objects whose hashed UID or namespace lies in a range",
  },
  StorageVersionAPI: {
    stages: { alpha: "1.20" },
    help: "a StorageVersion for each resource, with the version in which each API server stores it; needs APIServerIdentity, and --runtime-config for the alpha API",
  },
  TokenRequestServiceAccountUIDValidation: {
    stages: { beta: "1.34" },
    help: "rejection of TokenRequests with the UID of a former service account",
  },
  UnknownVersionInteroperabilityProxy: {
    stages: { alpha: "1.28", beta: "1.36" },
    help: "requests for resources that only an API server of another release serves are forwarded to it; needs --peer-ca-file",
  },
  WarningHeaders: {
    stages: { beta: "1.19", ga: "1.22" },
    removed: "1.24",
    help: "Warning headers of answers",
  },
  WatchBookmark: {
    stages: { alpha: "1.15", beta: "1.16", ga: "1.17" },
    removed: "1.33",
    help: "bookmarks in watches",
  },
} as const satisfies Readonly<Record<string, GateRow>>;

export type GateName = keyof typeof FEATURE_GATES;
export type FeatureGates = Readonly<Record<GateName, boolean>>;

export interface ParsedGates {
  readonly gates: FeatureGates;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
}

/** A named gate takes precedence over AllAlpha and AllBeta; a gate at its last stage cannot be switched off. */
export function parseFeatureGates(
  pairs: Readonly<Record<string, boolean>>,
  release: string,
  table: Readonly<Record<string, GateRow>> = FEATURE_GATES,
): ParsedGates {
  const gates: Record<string, boolean> = {};
  const warnings: string[] = [];
  const errors: string[] = [];
  const named = new Map(Object.entries(pairs).map(([given, on]) => [withoutComponent(given), on]));
  const asked = { alpha: named.get("AllAlpha"), beta: named.get("AllBeta") };
  if (asked.alpha !== undefined || asked.beta !== undefined) setStages(gates, release, asked);
  for (const [name, row] of Object.entries(table)) gates[name] = isOnByDefault(row, release, asked);
  for (const [name, on] of named) {
    if (name === "AllAlpha" || name === "AllBeta") continue;
    const row = Object.hasOwn(table, name) ? table[name] : undefined;
    const history = row === undefined ? knownGates().get(name) : rowHistory(row);
    if (history === undefined && !FORMER_GATES.has(name)) {
      errors.push(`--feature-gates: unknown gate ${name}`);
      continue;
    }
    const { error, warning } = history === undefined ? {} : judge(name, { history, on, release });
    if (error !== undefined) errors.push(`--feature-gates: ${error}`);
    if (warning !== undefined) warnings.push(`--feature-gates: ${warning}`);
    if (error !== undefined) continue;
    if (row === undefined) warnings.push(`--feature-gates: ${withoutEffect(name)}`);
    // Bootstrap roles follow gates that have no other effect.
    if (warning === undefined) gates[name] = on;
  }
  return { gates: gates as FeatureGates, warnings, errors };
}

/** Applies AllAlpha and AllBeta to all gates of the release, which bootstrap roles follow. */
function setStages(
  gates: Record<string, boolean>,
  release: string,
  asked: { readonly alpha: boolean | undefined; readonly beta: boolean | undefined },
): void {
  for (const [name, history] of knownGates()) {
    const state = gateState(history, release);
    const on = state?.stage === "alpha" ? asked.alpha : state?.stage === "beta" ? asked.beta : undefined;
    if (on !== undefined && state?.locked !== true) gates[name] = on;
  }
}

/** Removes the name of this component from `component:gate`. */
function withoutComponent(name: string): string {
  const { component, value } = splitComponent(name, ":");
  return isOwnComponent(component) ? value : name;
}

/** Reports whether a gate may be set. */
function judge(
  name: string,
  { history, on, release }: { readonly history: GateHistory; readonly on: boolean; readonly release: string },
): { readonly error?: string; readonly warning?: string } {
  const { states, removed } = history;
  if (removed !== undefined && compareReleases(removed, release) <= 0) {
    const last = states.at(-1);
    const now = last?.stage === "ga" && last.on ? "always on" : "gone";
    return { error: `${name} was removed in v${removed}: its feature is ${now}` };
  }
  const state = gateState(history, release);
  if (state === undefined) return { error: `unknown gate ${name}: its first release is v${states[0]?.since}` };
  if (!state.locked) return {};
  const end = removed === undefined ? "" : ` in v${removed}`;
  const since = `v${states.find(({ stage }) => stage === state.stage)?.since}`;
  const stage = state.stage === "ga" ? "generally available" : "deprecated";
  const warning = `${name} is ${stage} since ${since}; its gate will be removed${end}`;
  return on === state.on ? { warning } : { warning, error: `${name} is locked to ${state.on} since v${state.since}` };
}

const withoutEffect = (name: string): string => `${name} has no effect in this server`;

/** A gate as the metric of features shows it. */
export interface ReportedGate {
  readonly name: string;
  /** `ALPHA`, `BETA`, `DEPRECATED`, or empty for a gate that is generally available. */
  readonly stage: string;
  readonly isOn: boolean;
}

/**
 * Returns all gates of a release with their settings, those without effect included.
 * @param pairs the option
 * @param gates the gates with an effect
 */
export function reportedGates(
  pairs: Readonly<Record<string, boolean>>,
  release: string,
  gates: FeatureGates,
): readonly ReportedGate[] {
  const named = new Map(Object.entries(pairs).map(([given, on]) => [withoutComponent(given), on]));
  const all = { alpha: named.get("AllAlpha"), beta: named.get("AllBeta") };
  const reported: ReportedGate[] = [
    { name: "AllAlpha", stage: "ALPHA", isOn: all.alpha ?? false },
    { name: "AllBeta", stage: "BETA", isOn: all.beta ?? false },
  ];
  for (const [name, history] of everyGate()) {
    const state = gateState(history, release);
    if (state === undefined) continue;
    const { stage, on } = state;
    const byStage = stage === "alpha" || stage === "beta" ? all[stage] : undefined;
    const isOn = Object.hasOwn(gates, name) ? gates[name as GateName] : (named.get(name) ?? byStage ?? on);
    reported.push({ name, stage: stage === "ga" ? "" : stage.toUpperCase(), isOn });
  }
  return reported;
}

/** Returns the history of each gate by name. The row of a gate with an effect takes precedence. */
function everyGate(): ReadonlyMap<string, GateHistory> {
  const rows = Object.entries(FEATURE_GATES).map(([name, row]) => [name, rowHistory(row)] as const);
  return new Map([...knownGates(), ...rows]);
}

/** Text for `--help`: each gate with its history and effect, and the gates without effect. */
export function gatesText(): string {
  const byName = (names: Iterable<string>) => [...names].sort();
  const rows: Readonly<Record<string, GateRow>> = FEATURE_GATES;
  const effects = byName(Object.keys(rows)).map((name) => {
    const row = rows[name] as GateRow;
    return [name, `${historyText(rowHistory(row))}: ${row.help}`] as const;
  });
  const others = byName(knownGates().keys()).filter((name) => !Object.hasOwn(rows, name));
  const without = others.map((name) => [name, historyText(knownGates().get(name) as GateHistory)] as const);
  return [helpSection("Feature gates", effects), helpSection("Feature gates without effect", without)].join("\n");
}
