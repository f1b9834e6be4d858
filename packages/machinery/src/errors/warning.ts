// `Warning` response headers. Source: RFC 7234 section 5.5;
// staging/src/k8s.io/apiserver/pkg/endpoints/filters/warning.go.

const TOTAL_MAX_CHARACTERS = 4096;
const CUT_TO_CHARACTERS = 256;

/**
 * Returns the values of the `Warning` headers, one per text. Empty texts, duplicates and texts with control characters
 * are left out. When the total is too long, each text is cut to 256 characters, and the last ones are dropped if that
 * is not enough.
 * @returns Latin-1 strings that carry UTF-8 bytes, as Node.js writes headers
 */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return NONE;
  const fit = [...new Set(texts)].filter((text) => text !== "" && !CONTROL.test(text));
  const characters = fit.map((text) => [...text]);
  if (total(characters) <= TOTAL_MAX_CHARACTERS) return fit.map(header);
  const kept: string[][] = [];
  let used = 0;
  for (const text of characters.map((each) => each.slice(0, CUT_TO_CHARACTERS))) {
    used += text.length;
    if (used > TOTAL_MAX_CHARACTERS) break;
    kept.push(text);
  }
  return kept.map((text) => header(text.join("")));
}

const NONE: readonly string[] = [];

const CONTROL = /\p{Cc}/u;

const total = (texts: readonly (readonly string[])[]): number => texts.reduce((sum, text) => sum + text.length, 0);

function header(text: string): string {
  const quoted = text.replace(/["\\]/g, "\\$&");
  return Buffer.from(`299 - "${quoted}"`, "utf8").toString("latin1");
}
