// Reads manifests: objects, texts, and files or folders of YAML and JSON.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isObject, type JsonObject, type JsonValue, parseYaml } from "@orch/schema";

/**
 * An object; YAML or JSON text of one or several documents (any string with a line break); or the path of a file, or of
 * a folder whose `.yaml`, `.yml` and `.json` files are read in the order of their names, sub-folders included.
 */
export type Manifest = string | object;

const MANIFEST_FILE = /\.(ya?ml|json)$/;

/** @throws TypeError for a manifest that cannot be read, or that lacks `apiVersion`, `kind` or a name */
export function readManifests(name: string, manifests: readonly Manifest[]): readonly JsonObject[] {
  return manifests.flatMap((manifest, index) => {
    const place = `${name}[${index}]`;
    if (typeof manifest !== "string") return objectsIn(place, manifest as JsonValue);
    return manifest.includes("\n") ? objectsOf(place, manifest) : objectsOfPath(place, manifest);
  });
}

function objectsOfPath(place: string, path: string): readonly JsonObject[] {
  try {
    if (!statSync(path).isDirectory()) return objectsOf(`${place}: ${path}`, readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new TypeError(`${place}: ${JSON.stringify(path)} cannot be read: ${(error as Error).message}`);
  }
  const names = readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  return names.flatMap((entry) =>
    entry.isDirectory() || MANIFEST_FILE.test(entry.name) ? objectsOfPath(place, join(path, entry.name)) : [],
  );
}

function objectsOf(place: string, text: string): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  for (let rest: string | undefined = text; rest !== undefined; ) {
    const { value, further } = firstOf(place, rest);
    if (value !== null) objects.push(...objectsIn(place, value));
    rest = further;
  }
  return objects;
}

function firstOf(place: string, text: string): { readonly value: JsonValue; readonly further: string | undefined } {
  try {
    const { value, problems } = parseYaml(text);
    const next = problems.find(({ kind }) => kind === "furtherDocument");
    return { value, further: next && text.slice(next.offset) };
  } catch (error) {
    throw new TypeError(`${place}: not valid YAML: ${(error as Error).message}`);
  }
}

/** Returns the object, or the items of a list. */
function objectsIn(place: string, value: JsonValue): readonly JsonObject[] {
  if (!isObject(value)) throw new TypeError(`${place}: must be an object, a YAML text or a path`);
  const { apiVersion, kind, items, metadata } = value;
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    throw new TypeError(`${place}: apiVersion and kind: must be strings`);
  if (kind.endsWith("List") && Array.isArray(items))
    return items.flatMap((item, index) => objectsIn(`${place}.items[${index}]`, item));
  if (!isObject(metadata) || typeof metadata["name"] !== "string")
    throw new TypeError(`${place}: metadata.name of ${kind}: must be a string`);
  return [value];
}
