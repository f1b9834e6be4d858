// Objects of manifest files, with the defaults and the rules of their kind and those of manifests: reserved names, no
// parameters, webhooks by URL, and bindings of policies of the same directory. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/manifest/loader/loader.go,
// staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/manifest/loader/loader.go.
import { ConfigurationError, field, metadataErrors, metaOf, type ResourceDefinition } from "@orch/machinery";
import { copyJson, isObject, type JsonObject, type Vocabulary } from "@orch/schema";

export interface ManifestContext {
  readonly vocabulary: Vocabulary;
  readonly definitions: readonly ResourceDefinition[];
  /** Plural names of the resources that the file may hold. */
  readonly plurals: readonly string[];
  /** Hash of the directory, which becomes the resource version. */
  readonly hash: string;
}

/** Returns the object in the form of the plugins. @throws Error that names the field and the rule */
export function manifestObject(
  given: JsonObject,
  { vocabulary, definitions, plurals, hash }: ManifestContext,
): { readonly plural: string; readonly object: JsonObject } {
  const group = vocabulary.groups.admissionregistration;
  const { apiVersion, kind } = given;
  const definition = definitions.find((each) => each.group === group && each.kind === kind);
  const version = definition?.versions.find((each) => each.apiVersion === apiVersion && each.version === "v1");
  if (definition === undefined || version === undefined || !plurals.includes(definition.plural)) {
    throw new Error(`unsupported resource type ${String(apiVersion)}, Kind=${String(kind)}`);
  }
  const { value, problems } = version.type.decode(copyJson(given));
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`${problem.path}: the field is unknown or given twice`);
  version.type.applyDefaults(value);
  const object = version.toHub?.(value) ?? value;
  const { name = "" } = metaOf(object);
  requireName(name, vocabulary);
  const { strategy, scope } = definition;
  strategy.prepareForCreate?.(object);
  const through = { group, version: version.version };
  const errors = [
    ...metadataErrors(object, { scope, nameErrors: strategy.nameErrors }),
    ...(strategy.validate?.(object, through) ?? []),
    ...(strategy.validateCreate?.(object, through) ?? []),
  ];
  if (errors.length > 0)
    throw new Error(`${kind} ${JSON.stringify(name)}: ${errors.map(field.fieldErrorText).join(", ")}`);
  requireOwnRules(object, `${kind} ${JSON.stringify(name)}`, vocabulary);
  // A reader recognizes a changed object by its resource version, because it has no UID and no generation.
  const { generation: _, ...metadata } = metaOf(object);
  object["metadata"] = { ...metadata, resourceVersion: hash } as unknown as JsonObject;
  return { plural: definition.plural, object };
}

function requireName(name: string, { objectNames: { staticSuffix } }: Vocabulary): void {
  if (name === "") throw new Error("an object must have a name");
  if (!name.endsWith(staticSuffix))
    throw new Error(`${JSON.stringify(name)} must have a name ending with ${JSON.stringify(staticSuffix)}`);
}

function requireOwnRules({ spec, webhooks }: JsonObject, what: string, { objectNames }: Vocabulary): void {
  if (isObject(spec)) {
    for (const name of ["paramKind", "paramRef"])
      if (isObject(spec[name])) throw new Error(`${what}: spec.${name} is not supported for static manifests`);
    const { policyName } = spec;
    if (typeof policyName === "string" && !policyName.endsWith(objectNames.staticSuffix))
      throw new Error(`${what}: spec.policyName must end with ${JSON.stringify(objectNames.staticSuffix)}`);
  }
  for (const [at, webhook] of (Array.isArray(webhooks) ? webhooks : []).entries()) {
    const { clientConfig } = isObject(webhook) ? webhook : {};
    const place = `${what}: webhooks[${at}].clientConfig`;
    if (!isObject(clientConfig) || isObject(clientConfig["service"]))
      throw new Error(`${place}.service is not supported for static manifests; use url instead`);
    if (!clientConfig["url"]) throw new Error(`${place}.url is required for static manifests`);
  }
}

/** Requires that the policy of each binding is in the directory. @throws ConfigurationError */
export function requirePolicies(
  objects: ReadonlyMap<string, readonly JsonObject[]>,
  [policies = "", bindings = ""]: readonly string[],
): void {
  const names = new Set((objects.get(policies) ?? []).map((each) => metaOf(each).name));
  for (const binding of objects.get(bindings) ?? []) {
    const { spec } = binding;
    const policyName = isObject(spec) ? spec["policyName"] : undefined;
    if (names.has(policyName as string)) continue;
    const what = `binding ${JSON.stringify(metaOf(binding).name)} references policy ${JSON.stringify(policyName)}`;
    throw new ConfigurationError([`${what}, which does not exist in the manifest directory`]);
  }
}
