// Resource versions as clients send them: "" (unset), "0" (any), or a version. A version is a store revision, which counts writes:
// a plain number will do, since 2^53 of them take 28,000 years at 10,000 a second.

/** @returns 0 for "" and "0"; undefined for what is no decimal number up to 2^53 */
export function parseResourceVersion(text: string): number | undefined {
  if (text === "") return 0;
  if (!DECIMAL.test(text)) return undefined;
  const revision = Number(text);
  return Number.isSafeInteger(revision) ? revision : undefined;
}

const DECIMAL = /^\d{1,20}$/;

/** Why a text is no version, for messages. */
export const resourceVersionProblem = (text: string): string =>
  `${JSON.stringify(text.slice(0, 64))} is not a decimal number up to 2^53`;
