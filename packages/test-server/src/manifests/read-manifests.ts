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
const DEFINITION = "CustomResourceDefinition";

/**
 * @throws TypeError for a manifest that cannot be read, that contains no object, or that has one without `apiVersion`,
 * `kind` or a name
 */
export function readManifests(name: string, manifests: readonly Manifest[]): readonly JsonObject[] {
  return manifests.flatMap((manifest, index) => objectsOfManifest(`${name}[${index}]`, manifest, checked));
}

/**
 * Reads custom resource definitions. Folders may contain other manifests, such as those of kustomize, which are left
 * out, as envtest of controller-runtime does.
 * @throws TypeError as `readManifests`, and for a manifest that is no definition
 */
export function readDefinitions(name: string, manifests: readonly Manifest[]): readonly JsonObject[] {
  return manifests.flatMap((manifest, index) => {
    const place = `${name}[${index}]`;
    if (isFolder(manifest)) {
      const objects = objectsOfManifest(place, manifest, (_, object) => (isDefinition(object) ? [object] : []));
      return objects.flatMap((object) => checked(place, object));
    }
    const objects = objectsOfManifest(place, manifest, checked);
    const other = objects.find(({ kind }) => kind !== DEFINITION);
    if (other === undefined) return objects;
    throw new TypeError(
      `${place}: is of kind ${other["kind"]}: must be a ${DEFINITION}; other objects belong to manifests`,
    );
  });
}

/** Reads one object, or the items of a list. */
type Reader = (place: string, value: JsonObject) => readonly JsonObject[];

function objectsOfManifest(place: string, manifest: Manifest, read: Reader): readonly JsonObject[] {
  const objects = objectsAnywhere(place, manifest, read);
  if (objects.length > 0) return objects;
  throw new TypeError(`${place}: ${JSON.stringify(manifest)} contains no object of the expected kind`);
}

function objectsAnywhere(place: string, manifest: Manifest, read: Reader): readonly JsonObject[] {
  if (typeof manifest !== "string") return objectsIn(place, manifest as JsonValue, read);
  return manifest.includes("\n") ? objectsOf(place, manifest, read) : objectsOfPath(place, manifest, read);
}

function isFolder(manifest: Manifest): boolean {
  if (typeof manifest !== "string" || manifest.includes("\n")) return false;
  return statSync(manifest, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Patches of kustomize are of the same kind, and have no names. */
function isDefinition({ kind, spec }: JsonObject): boolean {
  return kind === DEFINITION && isObject(spec) && isObject(spec["names"]) && typeof spec["group"] === "string";
}

function objectsOfPath(place: string, path: string, read: Reader): readonly JsonObject[] {
  try {
    if (!statSync(path).isDirectory()) return objectsOf(`${place}: ${path}`, readFileSync(path, "utf8"), read);
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new TypeError(`${place}: ${JSON.stringify(path)} cannot be read: ${(error as Error).message}`);
  }
  const names = readdirSync(path, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
  return names.flatMap((entry) =>
    entry.isDirectory() || MANIFEST_FILE.test(entry.name) ? objectsOfPath(place, join(path, entry.name), read) : [],
  );
}

function objectsOf(place: string, text: string, read: Reader): readonly JsonObject[] {
  const objects: JsonObject[] = [];
  for (let rest: string | undefined = text; rest !== undefined; ) {
    const { value, further } = firstOf(place, rest);
    if (value !== null) objects.push(...objectsIn(place, value, read));
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

function objectsIn(place: string, value: JsonValue, read: Reader): readonly JsonObject[] {
  if (!isObject(value)) throw new TypeError(`${place}: must be an object, a YAML text or a path`);
  const { kind, items } = value;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return read(place, value);
  return items.flatMap((item, index) => objectsIn(`${place}.items[${index}]`, item, read));
}

function checked(place: string, object: JsonObject): readonly JsonObject[] {
  const { apiVersion, kind, metadata } = object;
  if (typeof apiVersion !== "string" || typeof kind !== "string")
    throw new TypeError(`${place}: apiVersion and kind: must be strings`);
  if (!isObject(metadata) || typeof metadata["name"] !== "string")
    throw new TypeError(`${place}: metadata.name of ${kind}: must be a string`);
  return [object];
}
