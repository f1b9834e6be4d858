// Reads a configuration file that an option names: bounded, as YAML or JSON, with an error that lists all faults.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import {
  existsIn,
  isObject,
  type JsonObject,
  type JsonValue,
  ownApiVersion,
  parseYaml,
  type Vocabulary,
} from "@orch/schema";

export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  /** @param lines one per fault: field and rule */
  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

/** Returns the faults that an error reports, one per line. */
export const faultsOf = (error: unknown): readonly string[] =>
  error instanceof ConfigurationError ? error.lines : [(error as Error).message];

/** Runs a reader of a file. @throws ConfigurationError whose lines name the file */
export async function namingFile<Made>(file: string, act: () => Promise<Made>): Promise<Made> {
  try {
    return await act();
  } catch (error) {
    throw new ConfigurationError(faultsOf(error).map((line) => `${file}: ${line}`));
  }
}

/** Returns the values of `apiVersion` that a release accepts. @param versions lifetime by version of the group */
export const apiVersionsIn = (
  group: string,
  versions: Readonly<Record<string, Parameters<typeof existsIn>[0]>>,
  release: string,
): readonly string[] =>
  Object.entries(versions)
    .filter(([, life]) => existsIn(life, release))
    .map(([version]) => `${group}/${version}`);

/** @throws ConfigurationError for a file that is too large, and Error for one that cannot be read */
export async function readConfigurationFile(path: string, maxBytes: number): Promise<string> {
  const { size } = await stat(path);
  if (size > maxBytes) throw new ConfigurationError([`it has ${size} bytes; at most ${maxBytes} are allowed`]);
  // A pipe has no size and may never end.
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of createReadStream(path, { end: maxBytes })) {
    pieces.push(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  if (bytes > maxBytes) throw new ConfigurationError([`it has more than ${maxBytes} bytes, the maximum`]);
  return Buffer.concat(pieces).toString();
}

/**
 * Reads one configuration object.
 * @param text of one object, YAML or JSON; its `apiVersion` may have the group name of either vocabulary
 * @param noticed called for each repeated field and for a further document; absent: these are faults
 * @throws ConfigurationError
 */
export async function readDocument(
  text: string,
  vocabulary: Vocabulary,
  noticed: (problem: string) => void = refuse,
): Promise<JsonObject> {
  let value: JsonValue;
  try {
    const parsed = parseYaml(text);
    value = parsed.value;
    for (const { kind, path } of parsed.problems) {
      noticed(kind === "furtherDocument" ? "it must contain a single document" : `${path}: given twice`);
    }
  } catch (error) {
    throw new ConfigurationError([(error as Error).message]);
  }
  if (!isObject(value)) throw new ConfigurationError(["it is not an object"]);
  return withOwnVersion(value, vocabulary);
}

/** Returns the document with the group name of this server's vocabulary in `apiVersion`. @param document not changed */
export function withOwnVersion(document: JsonObject, vocabulary: Vocabulary): JsonObject {
  const { apiVersion } = document;
  const own = ownApiVersion(vocabulary, apiVersion);
  return own === undefined || own === apiVersion ? document : { ...document, apiVersion: own };
}

function refuse(problem: string): never {
  throw new Error(problem);
}
