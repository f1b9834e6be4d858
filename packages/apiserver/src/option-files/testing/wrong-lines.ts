import { ConfigurationError } from "../configuration-document";

/** @returns the faults of a configuration; none when it is valid */
export async function wrongLines(read: Promise<unknown>): Promise<readonly string[]> {
  try {
    await read;
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.lines;
    throw error;
  }
}
