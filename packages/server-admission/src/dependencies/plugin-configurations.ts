// Configuration of admission plugins: the file of `--admission-control-config-file` and the files that it names. Read
// once, at start. Source: Kubernetes documentation, "kube-apiserver Admission (v1)", AdmissionConfiguration.
import { dirname, resolve } from "node:path";
import { type PluginConfiguration, type PluginFactory, pluginsOf } from "@orch/admission";
import {
  ConfigurationError,
  ConfigurationFields,
  field,
  readConfigurationFile,
  readDocument,
  withOwnVersion,
} from "@orch/machinery";
import type { Logger } from "@orch/observability";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { namingOption, type ServerConfig } from "@orch/server-config";

export interface ConfigurationParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly settings: { readonly plugins: readonly PluginFactory[]; readonly release: string };
  readonly logger: Logger;
}

/** Configurations by plugin name, for the enabled plugins. Plain data that can be sent to other threads. */
export type PluginConfigurations = ReadonlyMap<string, PluginConfiguration>;

const OPTION = "admission-control-config-file";
const KIND = "AdmissionConfiguration";
/** Maximum size of each file. The largest files have an entry for each namespace. */
const FILE_MAX_BYTES = 1024 * 1024;
/** Plugins that accept a file without a version, by the key that such a file begins with. */
const UNVERSIONED = { imagePolicy: "ImagePolicyWebhook", podNodeSelectorPluginConfig: "PodNodeSelector" } as const;

/** @throws SettingsError that names the option, the file and the rule */
export async function readPluginConfigurations(parts: ConfigurationParts): Promise<PluginConfigurations> {
  const file = parts.config[OPTION];
  return file === "" ? new Map() : namingOption(OPTION, () => readMainFile(file, parts));
}

interface Entry {
  readonly name: string;
  /** In the file's terms, such as `plugins[1]`. */
  readonly at: string;
  /** Relative to the file; "" for none. */
  readonly path: string;
  readonly embedded: JsonObject | undefined;
}

async function readMainFile(file: string, { vocabulary, settings, logger }: ConfigurationParts) {
  const text = await readConfigurationFile(file, FILE_MAX_BYTES).catch((error: Error) => {
    throw new ConfigurationError([
      `unable to read admission control configuration from ${JSON.stringify(file)} [${error.message}]`,
    ]);
  });
  const document = await inFile(file, () => readDocument(text, vocabulary));
  const isOn = (name: string) => settings.plugins.some((plugin) => plugin.name === name);
  const found = new Map<string, PluginConfiguration>();
  const supported = supportedVersions(vocabulary);
  if (isUnversioned(document, supported)) {
    for (const name of Object.values(UNVERSIONED)) if (isOn(name)) found.set(name, { value: document, from: file });
    return found;
  }
  const entries = await inFile(file, () => entriesOf(document, supported));
  const warn = ({ at, name }: Entry, why: string) =>
    logger.warn(`--${OPTION}: ${file}: ${at}.name: ${JSON.stringify(name)} ${why}, and is ignored`);
  const known = new Set(pluginsOf(settings.release).map(({ plugin }) => plugin.name));
  const named = new Set<string>();
  for (const entry of entries) {
    if (!known.has(entry.name)) warn(entry, "is not an admission plugin of this server");
    else if (named.has(entry.name)) warn(entry, "is configured twice");
    else if (isOn(entry.name)) {
      const configuration = await configurationOf(entry, file, vocabulary);
      if (configuration !== undefined) found.set(entry.name, configuration);
    }
    named.add(entry.name);
  }
  return found;
}

function supportedVersions({ groups }: Vocabulary): readonly string[] {
  return [`${groups.apiserverConfig}/v1`, `${groups.apiserver}/v1alpha1`];
}

/** Accepts the form of the file from before it had a version. */
function isUnversioned(document: JsonObject, supported: readonly string[]): boolean {
  const { apiVersion, kind } = document;
  const isVersioned = supported.includes(apiVersion as string) && kind === KIND;
  return !isVersioned && Object.keys(UNVERSIONED).some((key) => Object.hasOwn(document, key));
}

/** @throws ConfigurationError */
function entriesOf(document: JsonObject, supported: readonly string[]): readonly Entry[] {
  const fields = new ConfigurationFields();
  fields.versioned(document, { kind: KIND, supported });
  fields.known(document, "", ["apiVersion", "kind", "plugins"]);
  const entries = fields.objects(document, "plugins", "").map((item, index): Entry => {
    const at = `plugins[${index}]`;
    fields.known(item, at, ["name", "path", "configuration"]);
    const [name, path] = [fields.text(item, "name", at), fields.text(item, "path", at)];
    if (name === "") fields.wrong(field.required(`${at}.name`));
    return { name, at, path, embedded: fields.object(item, "configuration", at) };
  });
  if (fields.lines.length > 0) throw new ConfigurationError(fields.lines);
  return entries;
}

/**
 * Embedded configuration takes precedence over the path.
 * @returns undefined for an entry that has neither
 */
async function configurationOf(
  { path, at, embedded }: Entry,
  file: string,
  vocabulary: Vocabulary,
): Promise<PluginConfiguration | undefined> {
  if (embedded !== undefined)
    return { value: withOwnVersion(embedded, vocabulary), from: `${file}: ${at}.configuration` };
  if (path === "") return undefined;
  const named = resolve(dirname(file), path);
  return inFile(named, async () => ({
    value: await readDocument(await readConfigurationFile(named, FILE_MAX_BYTES), vocabulary),
    from: named,
  }));
}

/** Adds the file name to an error. */
async function inFile<Made>(file: string, read: () => Made | Promise<Made>): Promise<Made> {
  try {
    return await read();
  } catch (error) {
    const lines = error instanceof ConfigurationError ? error.lines : [(error as Error).message];
    throw new ConfigurationError(lines.map((line) => `${file}: ${line}`));
  }
}
