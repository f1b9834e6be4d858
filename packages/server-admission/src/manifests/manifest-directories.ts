// Manifest directories of admission plugins, by `staticManifestsDir` in their configurations. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/manifest/validation.go.
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { ConfigurationError } from "@orch/machinery";
import { isObject, type JsonValue, type Vocabulary } from "@orch/schema";
import type { PluginConfigurations } from "../dependencies/plugin-configurations";

export interface ManifestDirectory {
  readonly plugin: string;
  readonly directory: string;
  /** Plural names of the resources that the files may hold; the bindings of policies come second. */
  readonly plurals: readonly string[];
}

/** Kind of the configuration, and plural names of the resources. */
const PLUGINS: Readonly<Record<string, { readonly kind?: string; readonly plurals: readonly string[] }>> = {
  // The webhook plugins check the kind of their configuration.
  MutatingAdmissionWebhook: { plurals: ["mutatingwebhookconfigurations"] },
  ValidatingAdmissionWebhook: { plurals: ["validatingwebhookconfigurations"] },
  MutatingAdmissionPolicy: {
    kind: "MutatingAdmissionPolicyConfiguration",
    plurals: ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"],
  },
  ValidatingAdmissionPolicy: {
    kind: "ValidatingAdmissionPolicyConfiguration",
    plurals: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
  },
};

/** @throws ConfigurationError for a configuration or a directory that cannot be used, and for one without the gate */
export function manifestDirectories({
  configurations,
  vocabulary,
  isOn,
}: {
  readonly configurations: PluginConfigurations;
  readonly vocabulary: Vocabulary;
  readonly isOn: boolean;
}): readonly ManifestDirectory[] {
  return Object.entries(PLUGINS).flatMap(([plugin, { kind, plurals }]) => {
    const configuration = configurations.get(plugin);
    if (configuration === undefined) return [];
    const refuse = (why: string) => new ConfigurationError([`${configuration.from}: ${why}`]);
    const directory = directoryIn(configuration.value, kind, vocabulary, refuse);
    if (directory === "") return [];
    const at = `staticManifestsDir: Invalid value: ${JSON.stringify(directory)}`;
    if (!isOn)
      throw refuse("staticManifestsDir: Forbidden: the feature gate ManifestBasedAdmissionControlConfig is needed");
    if (!isAbsolute(directory)) throw refuse(`${at}: must be an absolute file path`);
    const stats = statSync(directory, { throwIfNoEntry: false });
    if (stats === undefined) throw refuse(`${at}: unable to read: no such directory`);
    if (!stats.isDirectory()) throw refuse(`${at}: must be a directory`);
    return [{ plugin, directory, plurals }];
  });
}

function directoryIn(
  value: JsonValue | undefined,
  kind: string | undefined,
  { groups }: Vocabulary,
  refuse: (why: string) => Error,
): string {
  if (!isObject(value)) return "";
  const apiVersion = `${groups.apiserverConfig}/v1`;
  if (kind !== undefined && (value["kind"] !== kind || value["apiVersion"] !== apiVersion))
    throw refuse(`the configuration must be ${apiVersion}, Kind=${kind}`);
  const { staticManifestsDir: directory = "" } = value;
  if (typeof directory !== "string") throw refuse("staticManifestsDir: expected a string");
  return directory;
}
