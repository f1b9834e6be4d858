// The version at which a watch resumes.
import { isRecord } from "../values/api-object";

/**
 * Returns the resource version of an event's object; undefined when it has none. The version of a table is that of its row,
 * and bookmarks have the same form as objects.
 */
export function versionOf(object: unknown): string | undefined {
  if (!isRecord(object)) return undefined;
  const { metadata } = object;
  if (!isRecord(metadata)) return undefined;
  const version = metadata["resourceVersion"];
  return typeof version === "string" && version !== "" ? version : undefined;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Pauses between attempts to connect: they double up to half a minute, and are spread so that the browsers of many users do
 * not come back at one moment.
 */
export class Pauses {
  private next = FIRST_PAUSE_MS;

  /** @param random in [0, 1) @param atLeast what the server asks for */
  take(random: number, atLeast = 0): number {
    const pause = this.next * (0.75 + random / 2);
    this.next = Math.min(2 * this.next, LONGEST_PAUSE_MS);
    return Math.max(pause, atLeast);
  }

  /** The connection works: the next pause is short again. */
  reset(): void {
    this.next = FIRST_PAUSE_MS;
  }
}
