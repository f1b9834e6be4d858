// Opens encryption at rest: a view of the store through the configured providers. The configuration may be reloaded
// while the server runs.

import { namingFile, readConfigurationFile } from "@orch/machinery";
import { type Log, systemClock } from "@orch/platform";
import { historyPrefix } from "@orch/registry";
import type { Vocabulary } from "@orch/schema";
import { EncryptingStore, type KmsTerms, kmsProvider, type Store } from "@orch/store";
import type { ServerConfig } from "../flags/server-flags";
import { type ConfigurationInfoMetrics, noteConfiguration } from "../option-files/configuration-hash";
import { type ReloadParts, reloadWhenChanged } from "../option-files/reloaded-file";
import { encryptionFile } from "../settings/encryption-options";
import { namingOption } from "../settings/named-option";
import { type KmsMetrics, kmsObserver } from "./kms-observer";
import { type KeyService, OpenProviders } from "./open-providers";
import { readConfiguration } from "./read-configuration";
import { type TransformationMetrics, transformationObserver } from "./transformation-observer";

export interface EncryptionParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly logger: Log;
  readonly metrics: KmsMetrics & TransformationMetrics & ReloadParts["metrics"] & ConfigurationInfoMetrics;
}

/** Health check of key management services. */
interface ServiceCheck {
  readonly name: string;
  readonly endpoints: readonly ("healthz" | "livez" | "readyz")[];
  probe(): Promise<void>;
}

export interface OpenEncryption {
  /** Called once per store; the caller closes the store. */
  over(store: Store): Store;
  /** Health checks of key management services. */
  readonly checks: readonly ServiceCheck[];
  close(): void;
}

/** Maximum size of the file, some hundred keys: parsing more would hold the event loop. */
const FILE_MAX_BYTES = 64 * 1024;
/** Reads with the former providers may still be in progress. */
const FORMER_PROVIDERS_MS = 60_000;

/**
 * @returns undefined when the options do not enable encryption: the server then uses the store directly
 * @throws SettingsError that names the option, the file, the field and the rule
 */
export async function openEncryption(parts: EncryptionParts): Promise<OpenEncryption | undefined> {
  const { config, vocabulary, metrics } = parts;
  const asked = encryptionFile(config);
  if (asked === undefined) return undefined;
  const marker = vocabulary.storedMarks.encrypted;
  const service = { observer: kmsObserver(metrics) };
  const deps = {
    ...{ marker, prefix: config["etcd-prefix"], clock: systemClock },
    ...{ observe: transformationObserver(metrics), kms: (terms: KmsTerms) => kmsProvider(terms, service) },
  };
  const info = "apiserver_encryption_config_controller_last_config_info";
  const read = async () => {
    const { configuration, text } = await readFile(asked.file, vocabulary);
    const opened = new OpenProviders(configuration, deps);
    noteConfiguration(metrics, info, text);
    return opened;
  };
  let made = await namingOption(asked.option, read);
  const stores: EncryptingStore[] = [];
  const historyKeys = `${historyPrefix(config["etcd-prefix"])}/`;
  // The watch cache holds no states of histories.
  const isUnwatched = (key: string): boolean => key.startsWith(historyKeys);
  const load = async () => {
    const next = await read();
    const former = made;
    made = next;
    for (const store of stores) store.use(next.of);
    setTimeout(() => former.close(), FORMER_PROVIDERS_MS).unref();
  };
  const isReloaded = config["encryption-provider-config-automatic-reload"];
  const stop = isReloaded ? reloadWhenChanged(parts, asked, load) : () => {};
  return {
    over(inner) {
      const store = new EncryptingStore(inner, { marker, clock: systemClock, providersOf: made.of, isUnwatched });
      stores.push(store);
      return store;
    },
    checks: checksOf(made.services, isReloaded, () => made.services),
    close() {
      stop();
      for (const store of stores) store.stop();
      made.close();
    },
  };
}

const readFile = (file: string, vocabulary: Vocabulary) =>
  namingFile(file, async () => {
    const text = await readConfigurationFile(file, FILE_MAX_BYTES);
    return { configuration: await readConfiguration(text, vocabulary), text };
  });

/**
 * Returns one check per service, or one for all when the services may be reloaded or use KMS v2. Source: Kubernetes
 * documentation, "Using a KMS provider for data encryption".
 */
function checksOf(
  services: readonly KeyService[],
  isReloaded: boolean,
  now: () => readonly KeyService[],
): readonly ServiceCheck[] {
  const endpoints = ["healthz", "livez", "readyz"] as const;
  if (isReloaded || services.some(({ apiVersion }) => apiVersion === "v2")) {
    const probe = async () => void (await Promise.all(now().map((service) => service.check())));
    return [{ name: "kms-providers", endpoints, probe }];
  }
  return services.map((service, index) => ({
    name: `kms-provider-${index}`,
    endpoints,
    probe: () => service.check(),
  }));
}
