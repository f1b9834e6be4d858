// The controllers that remove kept states beyond their bounds, one for each store.
import { systemClock } from "@orch/platform";
import { namespaceKeys, type ResourceStorage, startHistoryTrimmer } from "@orch/registry";
import type { ApiServerParts } from "./api-server-parts";

export function historyTrimmers(
  { config, settings, vocabulary, store, otherStores, logger }: ApiServerParts,
  namespaces: ResourceStorage,
): readonly { stop(): void }[] {
  const prefix = config["etcd-prefix"];
  const ofNamespaces = otherStores?.storeOf({ group: "", resource: "namespaces" }) ?? store;
  return [store, ...(otherStores?.stores ?? [])].map((each) =>
    startHistoryTrimmer({
      ...{ store: each, prefix, vocabulary, rules: settings.history },
      ...{ clock: systemClock, log: logger, intervalMs: config["history-trim-interval"] },
      namespace: (name) => namespaces.peek({ namespace: "", name }),
      namespaceKeys: each === ofNamespaces ? namespaceKeys(prefix) : undefined,
    }),
  );
}
