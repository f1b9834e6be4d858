// Encryption at rest, as the options ask for it: the store, seen through what the configuration file says, which may be read again while the
// server runs.
import { systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import { EncryptingStore, type KmsTerms, kmsProvider, type Store } from "@orch/store";
import type { ServerConfig } from "../flags/server-flags";
import { ALL_ENDPOINTS, type HealthCheck } from "../health/health-checks";
import type { Logger } from "../logging/logger";
import { kmsObserver } from "../metrics/kms-observer";
import type { ServerMetrics } from "../metrics/server-metrics";
import { transformationObserver } from "../metrics/transformation-observer";
import { ConfigurationError, readConfigurationFile } from "../option-files/configuration-document";
import { namingOption } from "../option-files/named-option";
import { reloadWhenChanged } from "../option-files/reloaded-file";
import { encryptionFile } from "./encryption-options";
import { type KeyService, MadeProviders } from "./made-providers";
import { readConfiguration } from "./read-configuration";

export interface EncryptionParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  readonly metrics: ServerMetrics;
}

export interface OpenEncryption {
  /** Called once for each store, which the caller closes. */
  over(store: Store): Store;
  /** Whether key management services are there. */
  readonly checks: readonly HealthCheck[];
  close(): void;
}

/** Some hundred keys. Reading more while the server works would hold everybody up. */
const FILE_MAX_BYTES = 64 * 1024;
/** What is read by a former configuration may still be under way. */
const FORMER_PROVIDERS_MS = 60_000;

/**
 * @returns undefined where the options ask for none: nothing stands between the server and its store then
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
  const read = async () => new MadeProviders(await readFile(asked.file, vocabulary), deps);
  let made = await namingOption(asked.option, read);
  const stores: EncryptingStore[] = [];
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
      const store = new EncryptingStore(inner, { marker, clock: systemClock, providersOf: made.of });
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

async function readFile(file: string, vocabulary: Vocabulary) {
  try {
    return await readConfiguration(await readConfigurationFile(file, FILE_MAX_BYTES), vocabulary);
  } catch (error) {
    const lines = error instanceof ConfigurationError ? error.lines : [(error as Error).message];
    throw new ConfigurationError(lines.map((line) => `${file}: ${line}`));
  }
}

/** One for each, or one for all where they may be others later, or are new. Source: facts, apiserver-hooks.md "Encryption at rest". */
function checksOf(
  services: readonly KeyService[],
  isReloaded: boolean,
  now: () => readonly KeyService[],
): readonly HealthCheck[] {
  const endpoints = ALL_ENDPOINTS;
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
