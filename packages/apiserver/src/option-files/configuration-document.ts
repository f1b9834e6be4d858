// A file of configuration that an option names: bounded, read as YAML or JSON, and refused with all that is wrong with it.
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { isObject, type JsonObject, type JsonValue, ownApiVersion, parseYaml, type Vocabulary } from "@orch/schema";

export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  /** @param lines one for each thing that is wrong: field and rule */
  constructor(readonly lines: readonly string[]) {
    super(lines.join("\n"));
  }
}

/** @throws ConfigurationError for a file that is too large, and Error for one that cannot be read */
export async function readConfigurationFile(path: string, maxBytes: number): Promise<string> {
  const { size } = await stat(path);
  if (size > maxBytes) throw new ConfigurationError([`it has ${size} bytes; ${maxBytes} are the most`]);
  // A pipe has no size, and need not end.
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of createReadStream(path, { end: maxBytes })) {
    pieces.push(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  if (bytes > maxBytes) throw new ConfigurationError([`it has more than ${maxBytes} bytes, which are the most`]);
  return Buffer.concat(pieces).toString();
}

/**
/**
 * @param text of one object, YAML or JSON; its `apiVersion` may have the group name of either vocabulary
 * @param noticed called for each field that is given again and for a further document; absent: that is wrong
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
      noticed(kind === "furtherDocument" ? "there is more than one document" : `${path}: given twice`);
    }
  } catch (error) {
    throw new ConfigurationError([(error as Error).message]);
  }
  if (!isObject(value)) throw new ConfigurationError(["it is no object"]);
  return withOwnVersion(value, vocabulary);
}

/** Names the group in `apiVersion` as this server's vocabulary does. @param document not changed */
export function withOwnVersion(document: JsonObject, vocabulary: Vocabulary): JsonObject {
  const { apiVersion } = document;
  const own = ownApiVersion(vocabulary, apiVersion);
  return own === undefined || own === apiVersion ? document : { ...document, apiVersion: own };
}

function refuse(problem: string): never {
  throw new Error(problem);
}
