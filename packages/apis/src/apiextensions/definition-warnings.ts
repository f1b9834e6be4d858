// Warnings about a definition: formats that the server does not validate. Source: getUnrecognizedFormatsInCRD in
// staging/src/k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go.

import { Place, type WarningContext } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";
import { type Definition, rootsOf } from "./definition-parts";
import { logicalChildren, type SchemaNode, structuralChildren } from "./schema-node";

const WARNINGS_SINCE = "1.35";

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ["int32", "int64"],
  number: ["float", "double"],
};

/** Formats of texts, without hyphens. */
const KNOWN_TEXT: ReadonlySet<string> = new Set([
  ...["bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac"],
  ...["uuid", "uuid3", "uuid4", "uuid5", "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor"],
  ...["byte", "password", "date", "duration", "datetime", "k8sshortname", "k8slongname"],
]);

/** Returns a warning for each unknown format that the stored definition does not have. */
export function definitionWarnings(definition: JsonObject, { features, old }: WarningContext): readonly string[] {
  if (!features.since(WARNINGS_SINCE)) return [];
  const found = unknownFormats(definition);
  if (found.length === 0) return found;
  const before = new Set(old === undefined ? [] : unknownFormats(old));
  return found.filter((format) => !before.has(format)).map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(definition: JsonObject): readonly string[] {
  const found: string[] = [];
  for (const { root } of rootsOf(definition as unknown as Definition)) collect(root, found);
  return found;
}

function collect(node: SchemaNode, found: string[]): void {
  const { format = "", type = "" } = node;
  if (format !== "" && !isKnown(type, format)) found.push(format);
  for (const child of structuralChildren(node, Place.ROOT)) collect(child.node, found);
  for (const child of logicalChildren(node, Place.ROOT)) collect(child.node, found);
}

function isKnown(type: string, format: string): boolean {
  if (type === "" || type === "string") return KNOWN_TEXT.has(format.replaceAll("-", ""));
  return NUMBER_FORMATS[type]?.includes(format) ?? false;
}
