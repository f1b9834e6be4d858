import { ConfigurationError } from "../configuration-document";

/** @returns all that is wrong with a configuration; none where it is read */
export async function wrongLines(read: Promise<unknown>): Promise<readonly string[]> {
  try {
    await read;
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.lines;
    throw error;
  }
}
