import { readFile } from "node:fs/promises";
import type { TextSource } from "./connection-settings";

/** Reads a text source. @throws Error of the file system */
export async function readTextSource(source: TextSource): Promise<string> {
  return source.kind === "text" ? source.text : await readFile(source.path, "utf8");
}
