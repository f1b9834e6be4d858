// Reads and validates the file of `--encryption-provider-config`; reports all its errors at once, without revealing
// secrets. Source: Kubernetes documentation, "Encrypting Confidential Data at Rest".
import { ConfigurationError, ConfigurationFields, field, readDocument } from "@orch/machinery";
import { canonicalBase64, type JsonObject, memberOf, ownGroupName, type Vocabulary } from "@orch/schema";
import type { KmsTerms, NamedKey } from "@orch/store";
import type { EncryptionEntry, EncryptionPlan, ProviderPlan } from "./encryption-plan";

const KIND = "EncryptionConfiguration";
/** Key lengths in bytes. */
const KEY_BYTES = { aescbc: [16, 24, 32], aesgcm: [16, 24, 32], secretbox: [32] } as const;
const PROVIDERS = ["aesgcm", "aescbc", "secretbox", "kms", "identity"] as const;
const KMS_FIELDS = ["apiVersion", "name", "cachesize", "endpoint", "timeout"];
const KMS_VERSIONS = ["v1", "v2"];
const KMS_TIMEOUT_MS = 3000;
const KMS_CACHE_SIZE = 1000;
/** Limits of entries and providers: each takes memory, and a read may have to try them all. */
const ENTRIES_MAX = 1000;
const PROVIDERS_MAX = 100;
const KEYS_MAX = 100;
const REDACTED = "REDACTED";

/** @param text YAML or JSON @throws ConfigurationError */
export async function readConfiguration(text: string, vocabulary: Vocabulary): Promise<EncryptionPlan> {
  const document = await readDocument(text, vocabulary);
  const reading = new Reading();
  const plan = reading.plan(document, vocabulary);
  if (reading.lines.length > 0) throw new ConfigurationError(reading.lines);
  return plan;
}

class Reading extends ConfigurationFields {
  private readonly serviceNames = new Set<string>();

  plan(document: JsonObject, vocabulary: Vocabulary): EncryptionPlan {
    this.versioned(document, { kind: KIND, supported: [`${vocabulary.groups.apiserverConfig}/v1`] });
    this.known(document, "", ["apiVersion", "kind", "resources"]);
    const entries = this.bounded(document, "resources", "", ENTRIES_MAX);
    if (entries.length === 0) this.wrong(field.required("resources", "at least one entry must be given"));
    return entries.map((entry, index) => this.entry(entry, `resources[${index}]`, vocabulary));
  }

  private entry(of: JsonObject, at: string, vocabulary: Vocabulary): EncryptionEntry {
    this.known(of, at, ["resources", "providers"]);
    const resources = this.texts(of, "resources", at);
    if (resources.length === 0) this.wrong(field.required(`${at}.resources`, "at least one resource must be named"));
    for (const [index, text] of resources.entries()) {
      if (RESOURCE.test(text)) continue;
      const rule = "must be resource, resource.group, *.group, *. for the core group, or *.* for all";
      this.wrong(field.invalid(`${at}.resources[${index}]`, text, rule));
    }
    const providers = this.bounded(of, "providers", at, PROVIDERS_MAX);
    if (providers.length === 0) this.wrong(field.required(`${at}.providers`, "at least one provider must be given"));
    return {
      resources: resources.flatMap((text) => {
        const [plural = "", group = ""] = text.split(/\.(.*)/s);
        const own = ownGroupName(vocabulary, group);
        return own === undefined ? [text] : [text, `${plural}.${own}`];
      }),
      providers: providers.flatMap((each, index) => this.provider(each, `${at}.providers[${index}]`) ?? []),
    };
  }

  private provider(of: JsonObject, at: string): ProviderPlan | undefined {
    this.known(of, at, PROVIDERS);
    const [kind, ...more] = PROVIDERS.filter((name) => (memberOf(of, name) ?? null) !== null);
    if (kind === undefined || more.length > 0) {
      const rule =
        kind === undefined
          ? `provider must be one of ${PROVIDERS.join(", ")}`
          : "more than one provider specified in a single element, should split into different list elements";
      this.wrong(field.invalid(at, REDACTED, rule));
      return undefined;
    }
    const said = this.object(of, kind, at) ?? {};
    const path = `${at}.${kind}`;
    switch (kind) {
      case "aescbc":
      case "aesgcm":
      case "secretbox":
        return { kind, keys: this.keys(said, KEY_BYTES[kind], path) };
      case "kms":
        return { kind, terms: this.terms(said, path) };
      case "identity":
        this.known(said, path, []);
        return { kind };
    }
  }

  private keys(of: JsonObject, lengths: readonly number[], at: string): readonly NamedKey[] {
    this.known(of, at, ["keys"]);
    const keys = this.bounded(of, "keys", at, KEYS_MAX);
    if (keys.length === 0) this.wrong(field.required(`${at}.keys`, "at least one key must be given"));
    return keys.map((key, index) => this.key(key, lengths, `${at}.keys[${index}]`));
  }

  private key(of: JsonObject, lengths: readonly number[], at: string): NamedKey {
    this.known(of, at, ["name", "secret"]);
    const name = this.text(of, "name", at);
    if (name === "") this.wrong(field.required(`${at}.name`));
    const path = `${at}.secret`;
    const text = this.text(of, "secret", at);
    const line = canonicalBase64(text);
    const secret = Buffer.from(line ?? "", "base64");
    if (text === "") this.wrong(field.required(path));
    else if (line === undefined) this.wrong(field.invalid(path, REDACTED, "secrets must be base64 encoded"));
    else if (!lengths.includes(secret.length)) {
      const rule = `secret is not of the expected length, got ${secret.length}, expected one of [${lengths.join(" ")}]`;
      this.wrong(field.invalid(path, REDACTED, rule));
    }
    return { name, secret };
  }

  private terms(of: JsonObject, at: string): KmsTerms {
    this.known(of, at, KMS_FIELDS);
    const apiVersion = this.text(of, "apiVersion", at) || "v1";
    if (!KMS_VERSIONS.includes(apiVersion))
      this.wrong(field.notSupported(`${at}.apiVersion`, apiVersion, KMS_VERSIONS));
    return {
      apiVersion: apiVersion as KmsTerms["apiVersion"],
      name: this.serviceName(of, apiVersion, at),
      endpoint: this.endpoint(of, at),
      timeoutMs: this.timeoutMs(of, at),
      cacheSize: this.cacheSize(of, apiVersion, at),
    };
  }

  private serviceName(of: JsonObject, apiVersion: string, at: string): string {
    const path = `${at}.name`;
    const name = this.text(of, "name", at);
    if (name === "") this.wrong(field.required(path));
    else if (name.includes(":")) this.wrong(field.invalid(path, name, "must not contain a colon"));
    else if (apiVersion === "v2") {
      if (this.serviceNames.has(name)) this.wrong(field.invalid(path, name, "must be unique among providers of v2"));
      this.serviceNames.add(name);
    }
    return name;
  }

  private endpoint(of: JsonObject, at: string): string {
    const path = `${at}.endpoint`;
    const endpoint = this.text(of, "endpoint", at);
    const scheme = /^([^/:]*):/.exec(endpoint)?.[1] ?? "";
    if (endpoint === "") this.wrong(field.required(path));
    else if (scheme !== "unix") {
      const rule = `unsupported scheme ${JSON.stringify(scheme)} for KMS provider, only unix is supported`;
      this.wrong(field.invalid(path, endpoint, rule));
    } else if (!/^unix:\/\/\/[^/]/.test(endpoint))
      this.wrong(field.invalid(path, endpoint, "must be unix:///path, or unix:///@name for an abstract socket"));
    return endpoint;
  }

  private timeoutMs(of: JsonObject, at: string): number {
    const ms = this.durationMs(of, "timeout", at, KMS_TIMEOUT_MS);
    if (ms <= 0) this.wrong(field.invalid(`${at}.timeout`, memberOf(of, "timeout"), "must be more than 0s"));
    return ms;
  }

  private cacheSize(of: JsonObject, apiVersion: string, at: string): number {
    const path = `${at}.cachesize`;
    const size = this.integer(of, "cachesize", at);
    if (size !== undefined && apiVersion === "v2") this.wrong(field.invalid(path, size, "is not supported in v2"));
    else if (size === 0)
      this.wrong(field.invalid(path, size, "must not be 0; use a negative value to disable the cache"));
    return Math.max(0, size ?? KMS_CACHE_SIZE);
  }

  private bounded(of: JsonObject, name: string, at: string, max: number): readonly JsonObject[] {
    const all = this.objects(of, name, at);
    if (all.length > max) this.wrong(field.tooMany(at === "" ? name : `${at}.${name}`, { count: all.length, max }));
    return all.slice(0, max);
  }
}

const RESOURCE = /^(?:\*\.(?:\*|[a-z0-9.-]*)|[a-z0-9-]+(?:\.[a-z0-9.-]+)?)$/;
