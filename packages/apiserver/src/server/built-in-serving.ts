// Serves the built-in resources: stored ones, actions on them, and virtual ones.
import { setTimeout as pause } from "node:timers/promises";
import { withConditionRules, withExpressionRules, withSelectorRules } from "@orch/admission";
import { type BuiltInOptions, builtInResources, featuresOf, virtualResources } from "@orch/apis";
import { ERROR_KINDS_SINCE, withSchemaRules } from "@orch/extensions";
import { compareReleases, deprecationWarning, type ResourceDefinition } from "@orch/machinery";
import { ResourceRoutes, type ServedResource } from "@orch/request";
import type { Schema, Vocabulary } from "@orch/schema";
import {
  type OtherStores,
  type ResourceStorages,
  resourceStorages,
  type ServedResources,
} from "@orch/served-resources";
import type { ServerConfig, Settings } from "@orch/server-config";
import { actionHandlers } from "../handlers/actions/action-handlers";
import type { TokenRequestDeps } from "../handlers/actions/token-request";
import { VIRTUAL_HANDLERS } from "../handlers/virtual/virtual-handlers";
import type { AccountKeys } from "./account-keys";
import { type ComponentParts, componentStatuses } from "./component-statuses";

export interface BuiltInParts {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly schema: Schema;
  readonly store: ComponentParts["stores"][number];
  readonly otherStores?: OtherStores | undefined;
  /** Whether large-object workers carry out expensive work. */
  readonly hasWorkers: boolean;
  /** See ServingCoreParts. */
  readonly tokenIssuer?: Pick<AccountKeys, "issuer" | "maxSeconds">;
}

/** Returns an empty route table. */
export function routesFor({ runtime, release }: Settings): ResourceRoutes {
  return new ResourceRoutes({
    enabled: runtime.enabled,
    deprecation(served) {
      const warning = served.deprecationWarning ?? deprecationWarning(served, release);
      return warning === undefined ? undefined : { warning, removedRelease: served.lifecycle?.removed ?? "" };
    },
  });
}

/** @returns 0 without a limit */
const longestSeconds = (configured: number, signers: number = Number.POSITIVE_INFINITY): number =>
  configured === 0 && signers !== Number.POSITIVE_INFINITY ? signers : configured;

export function serveBuiltIn(resources: ServedResources, parts: BuiltInParts): ResourceStorages {
  const { config, settings, vocabulary, schema, store, tokenIssuer } = parts;
  const { release } = settings;
  const gates: Readonly<Record<string, boolean>> = settings.gates;
  const tokens: TokenRequestDeps = {
    vocabulary,
    release,
    issuer: tokenIssuer?.issuer,
    storages: () => storages,
    maxSeconds: longestSeconds(config["service-account-max-token-expiration"] / 1000, tokenIssuer?.maxSeconds),
    extendedMaxSeconds: tokenIssuer?.maxSeconds ?? Number.POSITIVE_INFINITY,
    extends: config["service-account-extend-token-expiration"],
    checksUid: settings.gates.TokenRequestServiceAccountUIDValidation,
    now: Date.now,
  };
  const asksHere = tokenIssuer !== undefined;
  const actions = actionHandlers({
    get budgets() {
      return storages.budgets;
    },
    vocabulary,
    tokens: asksHere && tokens.issuer === undefined ? undefined : tokens,
    now: Date.now,
    marksEvicted: compareReleases("1.27", release) <= 0,
    isOn: (gate) => gates[gate] === true,
    pause: (ms) => pause(ms),
  });
  const definitions = storedKinds(parts);
  const stored = resources.install(definitions, { actions, inWorkers: true });
  const storages: ResourceStorages = resourceStorages(stored, vocabulary);
  const components: ComponentParts = {
    vocabulary,
    stores: [store, ...(parts.otherStores?.stores ?? [])],
    timeoutMs: config["etcd-healthcheck-timeout"],
    leases: storages.leases,
    now: Date.now,
  };
  resources.serve(
    virtualResources(vocabulary, schema, { release, isServedAhead: settings.isServedAhead }).flatMap(
      (definition): ServedResource[] => {
        const act = actions[definition.plural];
        if (act !== undefined) return [{ kind: "action", definition, storage: storages.pods, act }];
        if (definition.kind === "ComponentStatus")
          return [{ kind: "stored", definition, storage: componentStatuses(definition, components) }];
        const answer = VIRTUAL_HANDLERS[definition.plural];
        return answer === undefined ? [] : [{ kind: "virtual", definition, answer }];
      },
    ),
  );
  return storages;
}

/**
 * Definitions of stored resources, shared by all servers of a process with the same options, so that caches on a
 * definition, such as schema documents, are shared too.
 */
function storedKinds({
  config,
  settings,
  vocabulary,
  schema,
  hasWorkers,
}: BuiltInParts): readonly ResourceDefinition[] {
  const key = JSON.stringify([
    ...[config["event-ttl"], config["allow-privileged"], hasWorkers, settings.gates, settings.minCompatibility],
    ...[config["emulation-forward-compatible"], config["runtime-config-emulation-forward-compatible"]],
    ...[config["runtime-config"]],
    ...[config["service-cluster-ip-range"], config["service-node-port-range"]],
  ]);
  const known = definedIn.get(schema);
  if (known?.key === key) return known.definitions;
  // Older releases have all functions: they serve kinds with expressions that Kubernetes introduced later.
  const compatibility = compareReleases(settings.release, "1.27") < 0 ? undefined : settings.minCompatibility;
  const expressions = { vocabulary, hasElsewhere: hasWorkers, compatibility };
  const features = featuresOf(settings.release, settings.gates);
  const selectors = {
    ...expressions,
    site: {
      sharesCapacity: features.isOn("DRAConsumableCapacity"),
      hasLists: features.isOn("DRAListTypeAttributes"),
    },
  };
  const definitions = builtInResources(vocabulary, schema, storedOptions(config, settings)).map((definition) =>
    definition.plural === "customresourcedefinitions"
      ? withSchemaRules(definition, {
          ...{ ...expressions, types: schema },
          hasErrorKinds: features.since(ERROR_KINDS_SINCE),
        })
      : withSelectorRules(
          withConditionRules(withExpressionRules(definition, expressions), expressions),
          vocabulary.groups.resource,
          selectors,
        ),
  );
  definedIn.set(schema, { key, definitions });
  return definitions;
}

/** The last definitions of each schema. */
const definedIn = new WeakMap<Schema, { readonly key: string; readonly definitions: readonly ResourceDefinition[] }>();

const storedOptions = (config: ServerConfig, settings: Settings): BuiltInOptions => ({
  release: settings.release,
  minCompatibility: settings.minCompatibility,
  isServedAhead: settings.isServedAhead,
  eventLifetimeSeconds: Math.ceil(config["event-ttl"] / 1000),
  serviceRanges: settings.serviceRanges,
  gates: settings.gates,
  forbidsPrivileged: !config["allow-privileged"],
});
