// Reads and validates the file of `--tracing-config-file`. Sources: Kubernetes documentation, "Traces For Kubernetes System
// Components"; staging/src/k8s.io/component-base/tracing/api/v1/config.go.
import {
  apiVersionsIn,
  ConfigurationError,
  ConfigurationFields,
  field,
  namingFile,
  readConfigurationFile,
  readDocument,
} from "@orch/machinery";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { ServerConfig } from "../flags/server-flags";
import { namingOption } from "../settings/named-option";
import type { Settings } from "../settings/settings";

export interface TracingConfiguration {
  /** `host:port`, or a name of gRPC with the scheme dns, unix or unix-abstract. */
  readonly endpoint: string;
  /** Fraction of the requests without a sampled parent that are traced; 0 to 1. */
  readonly ratio: number;
}

const OPTION = "tracing-config-file";
const KIND = "TracingConfiguration";
const VERSIONS = { v1: { since: "1.34" }, v1beta1: { since: "1.27" }, v1alpha1: { since: "1.22" } } as const;
const DEFAULT_ENDPOINT = "localhost:4317";
const SCHEMES = ["dns", "unix", "unix-abstract"];
const RATE_MAX = 1_000_000;
const FILE_MAX_BYTES = 64 * 1024;

/**
 * @returns undefined when no option enables tracing
 * @throws SettingsError that names the option, the file, the field and the rule
 */
export async function tracingConfiguration(
  config: ServerConfig,
  vocabulary: Vocabulary,
  { gates, release }: Pick<Settings, "gates" | "release">,
): Promise<TracingConfiguration | undefined> {
  const file = config[OPTION];
  if (file === "" || !gates.APIServerTracing) return undefined;
  const read = async () => readTracing(await readConfigurationFile(file, FILE_MAX_BYTES), vocabulary, release);
  return namingOption(OPTION, () => namingFile(file, read));
}

/** @param text YAML or JSON @throws ConfigurationError */
export async function readTracing(
  text: string,
  vocabulary: Vocabulary,
  release: string,
): Promise<TracingConfiguration> {
  const document = await readDocument(text, vocabulary);
  const reading = new Reading();
  const read = reading.configuration(document, vocabulary, release);
  if (reading.lines.length > 0) throw new ConfigurationError(reading.lines);
  return read;
}

class Reading extends ConfigurationFields {
  configuration(document: JsonObject, { groups }: Vocabulary, release: string): TracingConfiguration {
    this.versioned(document, { kind: KIND, supported: apiVersionsIn(groups.apiserverConfig, VERSIONS, release) });
    this.known(document, "", ["apiVersion", "kind", "endpoint", "samplingRatePerMillion"]);
    return { endpoint: this.endpoint(document), ratio: this.rate(document) / RATE_MAX };
  }

  private rate(document: JsonObject): number {
    const name = "samplingRatePerMillion";
    const rate = this.integer(document, name, "") ?? 0;
    if (rate < 0) this.wrong(field.invalid(name, rate, "sampling rate must be positive"));
    if (rate > RATE_MAX)
      this.wrong(field.invalid(name, rate, "sampling rate per million must be less than or equal to one million"));
    return rate;
  }

  private endpoint(document: JsonObject): string {
    const endpoint = this.text(document, "endpoint", "") || DEFAULT_ENDPOINT;
    const [scheme = "", rest] = endpoint.includes("//") ? endpoint.split(/:?\/\/(.*)/s) : ["dns", endpoint];
    if (!SCHEMES.includes(scheme)) {
      const rule = `unsupported scheme: ${scheme}.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md`;
      this.wrong(field.invalid("endpoint", endpoint, rule));
    } else if (rest === "" || /[\s\0]/.test(endpoint))
      this.wrong(field.invalid("endpoint", endpoint, "must name a host and port, or a socket, without white space"));
    return endpoint;
  }
}
