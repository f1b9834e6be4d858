// Names of types in OpenAPI documents. Kubernetes clients look up some of them, such as that of ObjectMeta.
import { splitReference } from "../descriptor/descriptor-record";
import type { Vocabulary } from "../vocabulary/vocabulary";

type Prefix = keyof Vocabulary["openapiModelPrefixes"];

/** Files whose types are published outside of the API groups. */
const PLACES: Readonly<Record<string, readonly [prefix: Prefix, path: string]>> = {
  runtime: ["apimachinery", "pkg.runtime"],
  intstr: ["apimachinery", "pkg.util.intstr"],
  resource: ["apimachinery", "pkg.api.resource"],
  version: ["apimachinery", "pkg.version"],
};
const GROUP_PLACES: Readonly<Record<string, readonly [prefix: Prefix, path: string]>> = {
  meta: ["apimachinery", "pkg.apis.meta"],
  apiextensions: ["apiextensionsApiserver", "pkg.apis.apiextensions"],
  apiregistration: ["aggregator", "pkg.apis.apiregistration"],
};

/**
 * Returns the name of a type.
 * @param typeName of the record: "<group id>/<version>.<Type>" or "<file>.<Type>"; for a custom resource, with the name
 * of its group
 */
export function modelName(vocabulary: Vocabulary, typeName: string): string {
  const [file, name] = splitReference(typeName, "");
  const [group = "", version] = file.split("/");
  if (group.includes(".")) return [...group.split(".").reverse(), version, name].join(".");
  const place = version === undefined ? PLACES[file] : GROUP_PLACES[group];
  const [prefix, path] = place ?? (["api", group] as const);
  return [vocabulary.openapiModelPrefixes[prefix] + path, ...(version === undefined ? [] : [version]), name].join(".");
}
