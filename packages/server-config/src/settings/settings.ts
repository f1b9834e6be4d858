// Validates the options as a whole, before a port is opened.
import { enabledPlugins, listedPlugins, type PluginFactory, pluginsOf } from "@orch/admission";
import { EVERY_RESOURCE, isEnabledByDefault, previousRelease, type ServiceRanges, servedEarly } from "@orch/apis";
import { type AuthorizationMode, anonymousAllowed, parseAuthorizationModes } from "@orch/auth";
import { isServed } from "@orch/machinery";
import { openSslSuites, WORKERS_MAX, workersIn } from "@orch/platform";
import type { HistoryRules } from "@orch/registry";
import { existsIn, groupName, type Vocabulary } from "@orch/schema";
import { type FeatureGates, parseFeatureGates } from "../flags/feature-gates";
import type { ServerConfig } from "../flags/server-flags";
import { type AllowedLabels, parseAllowedLabels } from "./allowed-labels";
import { auditOptionErrors, auditOptionWarnings } from "./audit-options";
import { authorizationOptionErrors } from "./authorization-options";
import { backupOptionErrors } from "./backup-options";
import { encryptionOptionErrors } from "./encryption-options";
import { forwardCompatibility, type ServedAhead } from "./forward-compatibility";
import { historyRules } from "./history-options";
import { oidcOptionErrors } from "./oidc-options";
import { replicaOptionErrors } from "./replica-options";
import { withRequiredGates } from "./required-gates";
import { parseRuntimeConfig, type RuntimeConfig } from "./runtime-config";
import { servedRelease } from "./served-release";
import { serviceRanges } from "./service-ranges";
import { signerOptionErrors } from "./signer-options";
import { readStoreOverrides, type StoreOverride } from "./store-overrides";
import { webhookVersion } from "./token-webhook-options";

export interface Settings {
  readonly store: "embedded" | "memory" | "etcd";
  /** Served release, such as `1.23`. */
  readonly release: string;
  /** Oldest release whose servers can read what this server stores. */
  readonly minCompatibility: string;
  /** See `forwardCompatibility`. */
  readonly isServedAhead: ServedAhead;
  readonly modes: readonly AuthorizationMode[];
  readonly anonymous: boolean;
  readonly plugins: readonly PluginFactory[];
  readonly gates: FeatureGates;
  /** Whether requests are limited by priority and fairness, which needs its objects to be served. */
  readonly fairness: boolean;
  readonly runtime: RuntimeConfig;
  readonly allowedLabels: AllowedLabels;
  readonly serviceRanges: ServiceRanges;
  readonly corsOrigins: readonly RegExp[];
  readonly ciphers: string | undefined;
  /** Additional etcd clusters, each for some resources. */
  readonly storeOverrides: readonly StoreOverride[];
  /** The objects whose earlier states are kept. */
  readonly history: HistoryRules;
  readonly warnings: readonly string[];
}

const TRACING_OFF = "--tracing-config-file has no effect without the feature gate APIServerTracing, which is off";
/** Releases that reject the option without the gate. Source: staging/src/k8s.io/apiserver/pkg/server/options/tracing.go. */
const REJECTS_UNUSED_TRACING = { since: "1.27" };

export class SettingsError extends Error {
  override readonly name = "SettingsError";
  /** @param lines one per error */
  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

/** Value of `--workers` with which a server is one process. */
const ONE_WORKER = "1";

/** @throws SettingsError */
export function settingsOf(config: ServerConfig, vocabulary: Vocabulary): Settings {
  const errors: string[] = [];
  const attempt = <Value>(read: () => Value, otherwise: Value): Value => {
    try {
      return read();
    } catch (error) {
      errors.push((error as Error).message);
      return otherwise;
    }
  };
  const store = storeKind(config);
  const { release, minCompatibility, errors: releaseErrors } = servedRelease(config, vocabulary);
  // A configuration file names its authorizers itself.
  const named = config["authorization-config"] === "" ? config["authorization-mode"] : undefined;
  const modes = named === undefined ? [] : attempt(() => parseAuthorizationModes(named), []);
  const anonymous = anonymousAllowed(config["anonymous-auth"], modes);
  const gates = parseFeatureGates(config["feature-gates"], release);
  const switchable = [...EVERY_RESOURCE.flatMap(keysOf(vocabulary)), ...keysOfReviews(vocabulary)];
  const asked = parseRuntimeConfig(
    config["runtime-config"],
    new Set(switchable),
    enabledByDefault(vocabulary, release),
  );
  const forward =
    "enabled" in asked ? forwardCompatibility(config, { vocabulary, release, runtime: asked }) : undefined;
  const switched = forward?.runtime ?? asked;
  const runtime =
    "enabled" in switched ? withRequiredGates(switched, { vocabulary, release, gates: gates.gates }) : switched;
  const allowedLabels = attempt(() => parseAllowedLabels(config["allow-metric-labels"]), new Map() as AllowedLabels);
  const plugins = attempt(() => {
    const [enable, disable] = [config["enable-admission-plugins"], config["disable-admission-plugins"]];
    const listed = config["admission-control"];
    if (listed.length === 0) return enabledPlugins({ enable, disable }, pluginsOf(release));
    if (enable.length + disable.length === 0) return listedPlugins(listed, pluginsOf(release));
    throw new Error(
      "admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive",
    );
  }, []);
  const ranges = serviceRanges(
    { blocks: config["service-cluster-ip-range"], ports: config["service-node-port-range"] },
    gates.gates,
  );
  const corsOrigins = config["cors-allowed-origins"].flatMap((text) => attempt(() => [originPattern(text)], []));
  const overrides = readStoreOverrides(config["etcd-servers-overrides"], config["etcd-servers"]);
  const history = historyRules(config);
  const ciphers = attempt(() => openSslSuites(config["tls-cipher-suites"]), undefined);
  errors.push(
    ...releaseErrors,
    ...gates.errors,
    ...("enabled" in runtime ? [] : runtime),
    ...(forward?.errors ?? []),
    ...history.errors,
    ...pairErrors(config, { store, release, overrides: overrides.errors }),
  );

  const webhook = webhookVersion(config, vocabulary);
  errors.push(...(typeof webhook === "string" ? [webhook] : []), ...oidcOptionErrors(config));
  errors.push(...auditOptionErrors(config, vocabulary, release), ...authorizationOptionErrors(config));
  errors.push(
    ...backupOptionErrors(config),
    ...encryptionOptionErrors(config),
    ...signerOptionErrors(config, gates.gates),
  );
  if (config["record-secrets"] && config.record === "") errors.push("--record-secrets: needs --record");
  if (config.record !== "" && config.workers !== ONE_WORKER)
    errors.push("--record: needs --workers=1, because one process records the changes of all requests");
  const fairness = config["enable-priority-and-fairness"] && gates.gates.APIPriorityAndFairness;
  if (fairness && config["max-requests-inflight"] + config["max-mutating-requests-inflight"] === 0)
    errors.push(
      "--max-requests-inflight and --max-mutating-requests-inflight: their sum must be greater than 0 with --enable-priority-and-fairness",
    );
  if (fairness && "enabled" in runtime && !servesFlowControl(runtime, { vocabulary, release }))
    errors.push(
      "--runtime-config disables all versions of flow control, which --enable-priority-and-fairness requires: enable one, or disable both",
    );
  if ("errors" in ranges) errors.push(...ranges.errors);
  const isTracingOff = config["tracing-config-file"] !== "" && !gates.gates.APIServerTracing;
  if (isTracingOff && existsIn(REJECTS_UNUSED_TRACING, release)) errors.push(TRACING_OFF);
  if (errors.length > 0 || !("enabled" in runtime) || "errors" in ranges) throw new SettingsError(errors);
  return {
    store,
    release,
    minCompatibility,
    isServedAhead: forward?.isAhead ?? (() => false),
    modes,
    anonymous: anonymous.allowed,
    plugins,
    gates: gates.gates,
    fairness,
    runtime,
    allowedLabels,
    serviceRanges: ranges,
    corsOrigins,
    ciphers,
    storeOverrides: overrides.overrides,
    history: history.rules,
    warnings: [
      ...gates.warnings,
      ...runtime.warnings,
      ...(anonymous.warning === undefined ? [] : [anonymous.warning]),
      ...auditOptionWarnings(config),
      ...tokenOptionWarnings(config, gates.gates),
      ...(isTracingOff ? [TRACING_OFF] : []),
    ],
  };
}

function originPattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new Error(`--cors-allowed-origins: ${(error as Error).message}`, { cause: error });
  }
}

function storeKind(config: ServerConfig): Settings["store"] {
  const { store } = config;
  if (store === "embedded" || store === "memory" || store === "etcd") return store;
  return config["etcd-servers"].length > 0 ? "etcd" : "embedded";
}

/** Whether FlowSchema is served: without it, the configuration of priority and fairness could not be changed. */
function servesFlowControl(
  runtime: RuntimeConfig,
  { vocabulary, release }: { readonly vocabulary: Vocabulary; readonly release: string },
): boolean {
  return EVERY_RESOURCE.filter(({ kind }) => kind === "FlowSchema").some(({ group, plural, versions }) =>
    versions.some(
      (each) => isServed(each, release) && runtime.enabled(groupName(vocabulary, group), each.version, plural),
    ),
  );
}

/** Keys of a resource in `--runtime-config`: groups, their versions, and the resource in each. */
const keysOf =
  (vocabulary: Vocabulary) =>
  ({ group, plural, versions }: (typeof EVERY_RESOURCE)[number]): string[] =>
    versions.flatMap((each) => {
      const name = groupName(vocabulary, each.group ?? group);
      return [name, `${name}/${each.version}`, `${name}/${each.version}/${plural}`];
    });

/** Whether a version of a built-in resource is served without `--runtime-config`. */
function enabledByDefault(vocabulary: Vocabulary, release: string) {
  const off = new Set(
    EVERY_RESOURCE.flatMap(({ group, plural, versions, gate }) =>
      versions
        .filter((each) => !isEnabledByDefault(gate === undefined ? each : servedEarly(each, release)))
        .map((each) => `${groupName(vocabulary, each.group ?? group)}/${each.version}/${plural}`),
    ),
  );
  return (group: string, version: string, resource: string) => !off.has(`${group}/${version}/${resource}`);
}

/** Keys of versions that the server only uses as a client, which operators enable all the same. */
const keysOfReviews = ({ groups }: Vocabulary): string[] =>
  Object.entries({ [groups.imagepolicy]: ["v1alpha1"], [groups.admission]: ["v1", "v1beta1"] }).flatMap(
    ([group, versions]) => [group, ...versions.map((version) => `${group}/${version}`)],
  );

/**
 * Errors of options that require or exclude each other.
 * @param of `overrides`: errors of --etcd-servers-overrides
 */
function pairErrors(
  config: ServerConfig,
  { store, release, overrides }: Pick<Settings, "store" | "release"> & { readonly overrides: readonly string[] },
): string[] {
  const errors: string[] = [];
  const together = (one: keyof ServerConfig, other: keyof ServerConfig) => {
    if ((config[one] === "") !== (config[other] === "")) errors.push(`--${one} and --${other} must be set together`);
  };
  together("tls-cert-file", "tls-private-key-file");
  together("etcd-certfile", "etcd-keyfile");
  together("nodeagent-client-certificate", "nodeagent-client-key");
  together("proxy-client-cert-file", "proxy-client-key-file");
  errors.push(...tokenOptionErrors(config), ...replicaOptionErrors(config));
  if (config["requestheader-client-ca-file"] !== "" && config["requestheader-username-headers"].length === 0)
    errors.push("--requestheader-client-ca-file requires --requestheader-username-headers");
  if (store === "etcd" && config["etcd-servers"].length === 0) errors.push("--store=etcd requires --etcd-servers");
  if (store !== "etcd" && config["etcd-servers"].length > 0) {
    errors.push(`--etcd-servers requires --store=etcd, not --store=${store}`);
  }
  if (store !== "etcd" && config["etcd-servers-overrides"].length > 0) {
    errors.push(`--etcd-servers-overrides requires --store=etcd, not --store=${store}`);
  }
  errors.push(...overrides);
  if (!/^\/[^\s]*[^/\s]$/.test(config["etcd-prefix"])) {
    errors.push("--etcd-prefix: must start with a slash and not end with one");
  }
  const { workers } = config;
  if (workersIn(workers) === undefined) {
    errors.push(`--workers: ${JSON.stringify(workers)} must be a number from 1 to ${WORKERS_MAX}, or auto`);
  } else if (workers !== "1" && store !== "etcd") {
    errors.push(
      `--workers=${workers} with --store=${store}: only one process can use that store; use --etcd-servers, or --workers=1`,
    );
  }
  const hidden = config["show-hidden-metrics-for-version"];
  const previous = previousRelease(release);
  if (hidden !== "" && hidden !== previous) {
    errors.push(`--show-hidden-metrics-for-version: must be ${previous}, the release before this one`);
  }
  return errors;
}

const HOUR_MS = 3_600_000;
const LONGEST_TOKEN_MS = 2 ** 32 * 1000;

function tokenOptionErrors(config: ServerConfig): string[] {
  const errors: string[] = [];
  for (const issuer of config["service-account-issuer"]) {
    if (issuer.includes(":") && !URL.canParse(issuer)) {
      errors.push(`--service-account-issuer: ${JSON.stringify(issuer)} has a colon and must then be a URL`);
    }
  }
  const keys = config["service-account-jwks-uri"];
  if (keys !== "" && !(URL.canParse(keys) && keys.startsWith("https://"))) {
    errors.push(`--service-account-jwks-uri: ${JSON.stringify(keys)} is not an https URI`);
  }
  const longest = config["service-account-max-token-expiration"];
  if (longest !== 0 && (longest < HOUR_MS || longest > LONGEST_TOKEN_MS)) {
    errors.push("--service-account-max-token-expiration: must be at least 1h and at most 2^32 seconds");
  }
  return errors;
}

/** Lifetime that the ServiceAccount admission plugin requests for pods. */
const POD_TOKEN_MS = 3607 * 1000;
const EXTENDED_TOKEN_MS = 365 * 24 * HOUR_MS;

function tokenOptionWarnings(config: ServerConfig, gates: FeatureGates): string[] {
  const warnings: string[] = [];
  const longest = config["service-account-max-token-expiration"];
  if (config["service-account-extend-token-expiration"] && longest >= POD_TOKEN_MS && longest < EXTENDED_TOKEN_MS) {
    warnings.push(
      "--service-account-extend-token-expiration: the lifetime of pod tokens, one year, exceeds --service-account-max-token-expiration",
    );
  }
  if (gates.LegacyServiceAccountTokenTracking && !config["service-account-lookup"]) {
    warnings.push(
      "--service-account-lookup=false: uses of tokens in Secrets are not tracked, regardless of the feature gate",
    );
  }
  return warnings;
}
