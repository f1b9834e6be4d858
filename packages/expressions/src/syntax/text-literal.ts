// Parses the content of string and bytes literals. Source: github.com/google/cel-spec, doc/langdef.md, "String and
// Bytes Values".

const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
  "?": 63,
  '"': 34,
  "'": 39,
  "`": 96,
};
const CODED = /[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})/y;

/** Returns the string; undefined for an invalid escape. */
export function stringOf(body: string, isRaw: boolean): string | undefined {
  const text = body.replace(/\r\n?/g, "\n");
  if (isRaw || !text.includes("\\")) return text;
  const parts: string[] = [];
  const ok = read(text, {
    plain: (part) => parts.push(part),
    code: (code) => {
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return false;
      parts.push(String.fromCodePoint(code));
      return true;
    },
  });
  return ok ? parts.join("") : undefined;
}

/** Returns the bytes. `\x` and octal escapes are single bytes; escapes of code points are invalid. */
export function bytesOf(body: string, isRaw: boolean): Uint8Array | undefined {
  const text = body.replace(/\r\n?/g, "\n");
  if (isRaw || !text.includes("\\")) return new TextEncoder().encode(text);
  const parts: Uint8Array[] = [];
  const ok = read(text, {
    plain: (part) => parts.push(new TextEncoder().encode(part)),
    code: (code, isByte) => {
      if (!isByte) return false;
      parts.push(Uint8Array.of(code));
      return true;
    },
  });
  return ok ? Uint8Array.from(Buffer.concat(parts)) : undefined;
}

interface Sink {
  readonly plain: (text: string) => void;
  readonly code: (code: number, isByte: boolean) => boolean;
}

function read(text: string, sink: Sink): boolean {
  let at = 0;
  for (;;) {
    const next = text.indexOf("\\", at);
    if (next < 0) break;
    if (next > at) sink.plain(text.slice(at, next));
    const simple = ESCAPES[text[next + 1] ?? ""];
    if (simple !== undefined) {
      if (!sink.code(simple, true)) return false;
      at = next + 2;
      continue;
    }
    CODED.lastIndex = next + 1;
    const coded = CODED.exec(text);
    if (coded === null) return false;
    const [, hex, four, eight, octal] = coded;
    const code = octal === undefined ? Number.parseInt(hex ?? four ?? eight ?? "", 16) : Number.parseInt(octal, 8);
    if (!sink.code(code, hex !== undefined || octal !== undefined)) return false;
    at = CODED.lastIndex;
  }
  if (at < text.length) sink.plain(text.slice(at));
  return true;
}
