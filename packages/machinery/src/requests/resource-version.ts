// Resource versions from clients: "" (unset), "0" (any), or a version. A version is a store revision, which counts
// writes. A plain number is sufficient: 2^53 writes take 28,000 years at 10,000 per second.

/**
 * Parses a resource version.
 * @returns 0 for "" and "0"; undefined when the text is not a decimal number up to 2^53
 */
export function parseResourceVersion(text: string): number | undefined {
  if (text === "") return 0;
  if (!DECIMAL.test(text)) return undefined;
  const revision = Number(text);
  return Number.isSafeInteger(revision) ? revision : undefined;
}

const DECIMAL = /^\d{1,20}$/;

/** Returns the error text for an invalid resource version. */
export const resourceVersionProblem = (text: string): string =>
  `${JSON.stringify(text.slice(0, 64))} is not a decimal number up to 2^53`;
