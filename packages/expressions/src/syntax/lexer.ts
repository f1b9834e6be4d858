// Lexer. Source: github.com/google/cel-spec, doc/langdef.md, "Syntax".

import { type CelValue, Uint } from "../values/cel-value";
import { ExpressionError } from "./expression-error";
import { bytesOf, stringOf } from "./text-literal";

export type Token = { readonly at: number } & (
  | { readonly kind: "identifier"; readonly text: string; readonly isQuoted: boolean }
  | { readonly kind: "literal"; readonly value: CelValue }
  | { readonly kind: "sign"; readonly text: string }
  | { readonly kind: "end" }
);

const SPACE = /(?:[\t\n\f\r ]+|\/\/[^\n]*)+/y;
const NUMBER = /0[xX][0-9a-fA-F]+[uU]?|(?:\d+\.\d+(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|\d+[uU]?/y;
const TEXT = /([rR]?[bB]?|[bB][rR])("""|'''|"|')/y;
const IDENTIFIER = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const QUOTED_IDENTIFIER = /`([A-Za-z0-9_.\-/ ]+)`/y;
const SIGN = /==|!=|<=|>=|&&|\|\||[-+*/%!<>?:.,()[\]{}]/y;

const INT_MAX = 2n ** 63n;
const UINT_MAX = 2n ** 64n - 1n;

export function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  const fail = (at: number, message: string): never => {
    throw new ExpressionError(source, [{ at, message: `Syntax error: ${message}` }]);
  };
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(SPACE);
    const start = at;
    if (at >= source.length) break;
    const text = take(TEXT);
    if (text !== null) {
      const [, prefix = "", quote = ""] = text;
      const end = textEnd(source, at, quote, /r/i.test(prefix));
      if (end < 0) fail(start, `token recognition error at: '${source.slice(start, start + 20)}'`);
      const isRaw = /r/i.test(prefix);
      const body = source.slice(at, end);
      at = end + quote.length;
      const value = /b/i.test(prefix) ? bytesOf(body, isRaw) : stringOf(body, isRaw);
      if (value === undefined) fail(start, "invalid escape in a text literal");
      else tokens.push({ at: start, kind: "literal", value });
      continue;
    }
    const number = take(NUMBER);
    if (number !== null) {
      const value = numberOf(number[0]);
      if (value === undefined) fail(start, `invalid ${/[uU]$/.test(number[0]) ? "uint" : "int"} literal`);
      else tokens.push({ at: start, kind: "literal", value });
      continue;
    }
    const identifier = take(IDENTIFIER);
    if (identifier !== null) {
      tokens.push({ at: start, kind: "identifier", text: identifier[0], isQuoted: false });
      continue;
    }
    const quoted = take(QUOTED_IDENTIFIER);
    if (quoted !== null) {
      tokens.push({ at: start, kind: "identifier", text: quoted[1] ?? "", isQuoted: true });
      continue;
    }
    const sign = take(SIGN);
    if (sign === null) fail(start, `token recognition error at: '${source.charAt(start)}'`);
    else tokens.push({ at: start, kind: "sign", text: sign[0] });
  }
  tokens.push({ at: source.length, kind: "end" });
  return tokens;
}

function textEnd(source: string, start: number, quote: string, isRaw: boolean): number {
  const isLong = quote.length === 3;
  for (let at = start; at < source.length; at += 1) {
    const character = source[at];
    if (character === "\\" && !isRaw) at += 1;
    else if (!isLong && (character === "\n" || character === "\r")) return -1;
    else if (source.startsWith(quote, at)) return at;
  }
  return -1;
}

/** Parses a number. Its sign is a separate token: 2^63 is accepted here, and the parser negates or refuses it. */
function numberOf(text: string): CelValue | undefined {
  const isUnsigned = /[uU]$/.test(text);
  const digits = isUnsigned ? text.slice(0, -1) : text;
  // Parsing a long number takes more than linear time, and no number of that length is in range.
  if (digits.length > 400) return undefined;
  if (!/^0[xX]/.test(digits) && /[.eE]/.test(digits)) return Number(digits);
  const value = BigInt(digits);
  if (isUnsigned) return value <= UINT_MAX ? new Uint(value) : undefined;
  return value <= INT_MAX ? value : undefined;
}
