// Finds the first document of a YAML text. Like the programs of Kubernetes, the parser reads only this document of a
// request body or a configuration file. A further document is reported to the caller.

export interface FirstDocument {
  readonly text: string;
  /** Start of a further document that is not empty; undefined without one. */
  readonly furtherAt: number | undefined;
}

/** Document markers. A line that starts with one ends the document anywhere, also inside a block scalar. */
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
/** Lines without content: blank lines, comments, directives. */
const NOTHING = /^[ \t\ufeff]*(?:[#%].*)?$/;

export function firstDocument(source: string): FirstDocument {
  const whole = { text: source, furtherAt: undefined };
  if (!source.includes("---") && !source.includes("...")) return whole;
  MARKER.lastIndex = 0;
  let marker = MARKER.exec(source);
  // The marker that starts the document follows only lines without content.
  if (marker?.[0] === "---" && isNothing(source, 0, marker.index)) marker = MARKER.exec(source);
  if (marker === null) return whole;
  const end = marker.index;
  return { text: source.slice(0, end), furtherAt: contentAt(source, end) };
}

/** Reports whether a part of a text has only lines without content. */
const isNothing = (source: string, from: number, to: number): boolean => contentStart(source, from, to) === undefined;

function contentAt(source: string, end: number): number | undefined {
  let from = end;
  for (;;) {
    // A document may start on the line of its `---`.
    const start = contentStart(source, from + MARKER_LENGTH, source.length);
    if (start === undefined) return undefined;
    MARKER.lastIndex = start;
    const next = MARKER.exec(source);
    if (next === null || next.index !== start) return start;
    from = start;
  }
}

const MARKER_LENGTH = 3;

function contentStart(source: string, from: number, to: number): number | undefined {
  let start = from;
  while (start < to) {
    let end = source.indexOf("\n", start);
    if (end < 0 || end > to) end = to;
    const line = source.slice(start, source[end - 1] === "\r" ? end - 1 : end);
    if (!NOTHING.test(line)) return start;
    start = end + 1;
  }
  return undefined;
}
