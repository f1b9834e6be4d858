// Configuration of resources that may be used only where a quota limits them. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/resourcequota/apis/resourcequota/types.go.
import { requirementOf, type ScopeRequirement } from "@orch/apis";
import type { GroupResource } from "@orch/machinery";
import { groupNames, isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";

export interface LimitedResource extends GroupResource {
  /** Limits usage names that contain one of these strings. */
  readonly matchContains: readonly string[];
  /** Limits objects in one of these scopes, whatever usage they have. */
  readonly matchScopes: readonly ScopeRequirement[];
}

const NOTHING_LIMITED: readonly LimitedResource[] = [];

/** Reads the configuration. @throws Error for an invalid configuration */
export function limitedResources(
  configuration: JsonValue | undefined,
  vocabulary: Vocabulary,
): readonly LimitedResource[] {
  if (configuration === undefined) return NOTHING_LIMITED;
  const { groups } = vocabulary;
  const forms: readonly (readonly [apiVersion: string, kind: string])[] = [
    [`${groups.apiserverConfig}/v1`, "ResourceQuotaConfiguration"],
    [`${groups.resourcequotaAdmission}/v1beta1`, "Configuration"],
    [`${groups.resourcequotaAdmission}/v1alpha1`, "Configuration"],
  ];
  const { apiVersion, kind, limitedResources: limited = [] } = isObject(configuration) ? configuration : {};
  if (!forms.some(([version, name]) => version === apiVersion && name === kind)) {
    const known = forms.map((form) => form.join(" ")).join(", ");
    throw new Error(
      `${JSON.stringify(apiVersion)} ${JSON.stringify(kind)} is not a supported configuration; must be one of ${known}`,
    );
  }
  return listOf(limited, "limitedResources").flatMap((given, position) => {
    const resource = limitedResource(given, position);
    return groupNames(vocabulary, resource.group).map((group) => ({ ...resource, group }));
  });
}

function limitedResource(given: JsonObject, position: number): LimitedResource {
  const at = `limitedResources[${position}]`;
  const resource = textOf(given["resource"], `${at}.resource`);
  if (resource === "") throw new Error(`${at}.resource: Required value`);
  return {
    group: textOf(given["apiGroup"], `${at}.apiGroup`),
    resource,
    matchContains: textsOf(given["matchContains"], `${at}.matchContains`),
    matchScopes: listOf(given["matchScopes"], `${at}.matchScopes`).map(requirementOf),
  };
}

function listOf(value: JsonValue | undefined, at: string): readonly JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isObject)) return value;
  throw new Error(`${at}: expected a list of objects`);
}

function textsOf(value: JsonValue | undefined, at: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value;
  throw new Error(`${at}: expected a list of strings`);
}

function textOf(value: JsonValue | undefined, at: string): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw new Error(`${at}: expected a string`);
}
