// Kinds that `--runtime-config` enables only together with a feature gate. Source: KEP-3136, "Beta APIs Are Off by
// Default"; pkg/registry/certificates/rest/storage_certificates.go.
import { EVERY_RESOURCE, featuresOf } from "@orch/apis";
import { isServed } from "@orch/machinery";
import { groupName, type Vocabulary } from "@orch/schema";
import type { FeatureGates } from "../flags/feature-gates";
import type { RuntimeConfig } from "./runtime-config";

interface GatedParts {
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly gates: FeatureGates;
}

/** Disables the kinds whose gate is off, with a warning for each version that the configuration names. */
export function withRequiredGates(runtime: RuntimeConfig, { vocabulary, release, gates }: GatedParts): RuntimeConfig {
  const features = featuresOf(release, gates);
  const off = new Set<string>();
  const warnings: string[] = [];
  for (const { group, plural, versions, requiredGate } of EVERY_RESOURCE) {
    if (requiredGate === undefined || !features.isOff(requiredGate)) continue;
    for (const each of versions) {
      const published = groupName(vocabulary, each.group ?? group);
      const key = `${published}/${each.version}/${plural}`;
      off.add(key);
      if (isServed(each, release) && runtime.named(published, each.version, plural) === true)
        warnings.push(`--runtime-config: ${key} is not served: the feature gate ${requiredGate} is off`);
    }
  }
  if (off.size === 0) return runtime;
  return {
    ...runtime,
    enabled: (group, version, resource) =>
      !off.has(`${group}/${version}/${resource}`) && runtime.enabled(group, version, resource),
    warnings: [...runtime.warnings, ...warnings],
  };
}
