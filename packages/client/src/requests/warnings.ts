// Reads `Warning` headers of responses. Source: RFC 7234, section 5.5; KEP-1693.
import type { Log } from "@orch/platform";

export type WarningHandler = (text: string) => void;

const WARNING = /299 \S+ "((?:[^"\\]|\\.)*)"/g;
/** Maximum number of remembered texts. */
const TOLD_MAX = 1000;

export function warningTexts(header: string | string[] | undefined): string[] {
  if (header === undefined) return [];
  const text = Array.isArray(header) ? header.join(", ") : header;
  return [...text.matchAll(WARNING)].map(([, quoted = ""]) => quoted.replace(/\\(.)/g, "$1"));
}

/** Returns a handler that logs each text once. */
export function warningsTo(log: Log): WarningHandler {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text)) return;
    if (told.size < TOLD_MAX) told.add(text);
    log.warn("warning from the server", { text });
  };
}
