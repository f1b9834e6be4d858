// Documents of a manifest directory: the files with known extensions, in the order of their names. Each holds YAML or JSON
// documents, and a document may be a list of objects. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/manifest/loader.go.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { extname, join } from "node:path";
import { ConfigurationError, withOwnVersion } from "@orch/machinery";
import { isObject, type JsonObject, parseYaml, type Vocabulary } from "@orch/schema";

export interface ManifestDocument {
  readonly file: string;
  readonly object: JsonObject;
}

const EXTENSIONS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);
/** Maximum size of all files of a directory. They are parsed at the start and after changes. */
const TOTAL_MAX_BYTES = 4 * 1024 * 1024;
const SEPARATOR = /^---[ \t\r]*$/m;

/**
 * Reads the objects of a directory.
 * @returns the objects and a hash of the content of the files
 * @throws Error that names the directory or the file
 */
export function manifestDocuments(
  directory: string,
  vocabulary: Vocabulary,
): { readonly documents: readonly ManifestDocument[]; readonly hash: string } {
  const hash = createHash("sha256");
  const documents: ManifestDocument[] = [];
  let left = TOTAL_MAX_BYTES;
  for (const file of manifestFiles(directory)) {
    left -= statSync(file).size;
    if (left < 0) throw new ConfigurationError([`the files have more than ${TOTAL_MAX_BYTES} bytes, the maximum`]);
    const text = readFileSync(file, "utf8");
    hash.update(text).update("\0");
    for (const object of naming(file, () => objectsIn(text, vocabulary))) documents.push({ file, object });
  }
  return { documents, hash: `sha256:${hash.digest("hex")}` };
}

/** Returns the paths of the files, sorted. @throws Error for a directory that cannot be read */
export function manifestFiles(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && EXTENSIONS.has(extname(entry.name).toLowerCase()))
    .map(({ name }) => join(directory, name))
    .sort();
}

/** Adds the file name to an error. */
export function naming<Made>(file: string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw new ConfigurationError([`error loading ${file}: ${(error as Error).message}`]);
  }
}

function objectsIn(text: string, vocabulary: Vocabulary): readonly JsonObject[] {
  return text.split(SEPARATOR).flatMap((document) => {
    if (document.trim() === "") return [];
    const { value, problems } = parseYaml(document);
    const [problem] = problems;
    if (problem !== undefined) throw new Error(`${problem.path}: given twice`);
    if (value === null) return [];
    if (!isObject(value)) throw new Error("a document is not an object");
    return unlisted(value, vocabulary);
  });
}

/** Returns the items of a list, of any kind of list. */
function unlisted(object: JsonObject, vocabulary: Vocabulary): readonly JsonObject[] {
  const own = withOwnVersion(object, vocabulary);
  const { kind, items, apiVersion } = own;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [own];
  return items.filter(isObject).flatMap((item) => {
    const typed =
      kind === "List" ? item : { apiVersion: apiVersion ?? "", kind: kind.slice(0, -"List".length), ...item };
    return unlisted(typed, vocabulary);
  });
}
