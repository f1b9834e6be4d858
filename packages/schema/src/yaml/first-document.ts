// Finds the first document of a YAML text. The programs of Kubernetes parse no more of a body or a configuration file; what follows is told to
// the caller, so that it is not lost in silence.

export interface FirstDocument {
  readonly text: string;
  /** Where a further document begins that is not empty; undefined without one. */
  readonly furtherAt: number | undefined;
}

/** A line that begins so ends the document before it wherever it stands, also inside a block of text. */
const MARKER = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;
/** Lines that say nothing: blank ones, comments, directives. */
const NOTHING = /^[ \t\ufeff]*(?:[#%].*)?$/;

export function firstDocument(source: string): FirstDocument {
  const whole = { text: source, furtherAt: undefined };
  if (!source.includes("---") && !source.includes("...")) return whole;
  MARKER.lastIndex = 0;
  let marker = MARKER.exec(source);
  // The marker that begins the document has nothing before it.
  if (marker?.[0] === "---" && isNothing(source, 0, marker.index)) marker = MARKER.exec(source);
  if (marker === null) return whole;
  const end = marker.index;
  return { text: source.slice(0, end), furtherAt: contentAt(source, end) };
}

/** Whether there is nothing but lines that say nothing in a part of a text. */
const isNothing = (source: string, from: number, to: number): boolean => contentStart(source, from, to) === undefined;

function contentAt(source: string, end: number): number | undefined {
  let from = end;
  for (;;) {
    // Behind `---` a document may begin in the same line.
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
