// Conversion of custom resource definitions. In v1 every version has its own schema, subresources and columns; v1beta1,
// the hub, also has fields for what all versions share, and must use them when they are equal. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/conversion.go.

import { type Conversion, objectAt, objectsAt, takeField } from "@orch/apis-model";
import { copyJson, requestEntityTooLarge, sameJson } from "@orch/machinery";
import { isObject, type JsonObject, type JsonValue, writeJson } from "@orch/schema";

/** Conversion between v1 and the hub. */
export const definitionConversion: Conversion = {
  fromHub: (definition) => {
    const spec = objectAt(definition, "spec");
    const only = takeField(spec, "version");
    if (objectsAt(spec, "versions").length === 0 && typeof only === "string" && only !== "") {
      spec["versions"] = [{ name: only, served: true, storage: true }];
    }
    for (const [shared, own] of SHARED) spread(spec, shared, own);
    for (const version of objectsAt(spec, "versions")) renameColumnPaths(version, "JSONPath", "jsonPath");
    nestWebhook(spec);
    // v1beta1 preserves unknown fields by default.
    if (spec["preserveUnknownFields"] !== false) spec["preserveUnknownFields"] = true;
    else delete spec["preserveUnknownFields"];
    return definition;
  },
  toHub: (definition) => {
    const spec = objectAt(definition, "spec");
    const versions = objectsAt(spec, "versions");
    const first = versions[0]?.["name"];
    if (first !== undefined) spec["version"] = first;
    for (const version of versions) renameColumnPaths(version, "jsonPath", "JSONPath");
    for (const [shared, own] of SHARED) gather(spec, shared, own);
    flattenWebhook(spec);
    spec["preserveUnknownFields"] = spec["preserveUnknownFields"] === true;
    return definition;
  },
};

/** Field of v1beta1 that all versions share, and the field of each version. */
const SHARED = [
  ["validation", "schema"],
  ["subresources", "subresources"],
  ["additionalPrinterColumns", "additionalPrinterColumns"],
  ["selectableFields", "selectableFields"],
] as const;

function spread(spec: JsonObject, shared: string, own: string): void {
  const value = takeField(spec, shared);
  if (value === undefined || value === null) return;
  const versions = objectsAt(spec, "versions");
  // A shared value exists once, but a copy in each of fifty thousand versions could take a megabyte each.
  const characters = versions.length * writeJson(value).length;
  if (characters > SPREAD_MAX_CHARACTERS) throw requestEntityTooLarge(`the ${own} of ${versions.length} versions`);
  for (const version of versions) version[own] ??= copyJson(value);
}

/** Several times the size of the largest object that can be stored. */
const SPREAD_MAX_CHARACTERS = 16 * 1024 * 1024;

function gather(spec: JsonObject, shared: string, own: string): void {
  const versions = objectsAt(spec, "versions");
  const [first, ...others] = versions.map((version) => version[own]);
  if (first === undefined || !others.every((other) => other !== undefined && sameJson(other, first))) return;
  for (const version of versions) delete version[own];
  spec[shared] = first;
}

function renameColumnPaths(version: JsonObject, from: string, to: string): void {
  for (const column of objectsAt(version, "additionalPrinterColumns")) {
    const path = takeField(column, from);
    if (path !== undefined) column[to] = path;
  }
}

function nestWebhook({ conversion }: JsonObject): void {
  if (!isObject(conversion)) return;
  const clientConfig = takeField(conversion, "webhookClientConfig");
  const conversionReviewVersions = takeField(conversion, "conversionReviewVersions");
  if (clientConfig === undefined && conversionReviewVersions === undefined) return;
  conversion["webhook"] = defined({ clientConfig, conversionReviewVersions });
}

function flattenWebhook({ conversion }: JsonObject): void {
  if (!isObject(conversion)) return;
  const webhook = takeField(conversion, "webhook");
  if (!isObject(webhook)) return;
  const { clientConfig, conversionReviewVersions } = webhook;
  Object.assign(conversion, defined({ webhookClientConfig: clientConfig, conversionReviewVersions }));
}

function defined(fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}
