// Grammar of `labelSelector`: requirements separated by commas, each `k`, `!k`, `k=v`, `k==v`, `k!=v`, `k>n`, `k<n`, `k
// in (a,b)` or `k notin (a,b)`. Source: "Labels and Selectors" in the Kubernetes documentation;
// staging/src/k8s.io/apimachinery/pkg/labels/selector.go.

import { badRequest } from "../errors/request-errors";
import { type FormatErrors, labelValueErrors, qualifiedNameErrors } from "../names/name-formats";
import { isInteger, type LabelRequirement, sortedSet } from "./label-matcher";

/**
 * Parses a label selector.
 * @throws StatusError BadRequest (400) that names the token found and those expected
 */
export function parseLabelQuery(query: string): readonly LabelRequirement[] {
  const tokens = new Tokens(query);
  const requirements: LabelRequirement[] = [];
  if (tokens.peek() === END) return requirements;
  for (;;) {
    const start = tokens.peek();
    if (start !== "!" && !isWord(start)) {
      throw badRequest(
        requirements.length === 0
          ? expected(start, "!, identifier, or 'end of string'")
          : expected(start, "identifier after ','"),
      );
    }
    requirements.push(parseRequirement(tokens));
    const end = tokens.take();
    if (end === END) return requirements;
    if (end !== ",") throw badRequest(expected(end, "',' or 'end of string'"));
  }
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  const absent = tokens.peek() === "!";
  if (absent) tokens.take();
  const key = tokens.take();
  if (!isWord(key)) throw misfit(expected(key, "identifier"));
  check(`invalid label key ${JSON.stringify(key)}`, qualifiedNameErrors(key));
  if (absent) return { operator: "!", key };
  const next = tokens.peek();
  if (next === END || next === ",") return { operator: "exists", key };
  tokens.take();
  switch (next) {
    case "in":
    case "notin":
      return { operator: next, key, values: parseValues(tokens, key) };
    case "=":
    case "==":
    case "!=":
      return { operator: next, key, value: parseValue(tokens, key) };
    case ">":
    case "<":
      return { operator: next, key, value: parseBound(tokens, key) };
    default:
      throw misfit(expected(next, "in, notin, =, ==, !=, >, <"));
  }
}

/** Parses a value; a missing value is the empty string. */
function parseValue(tokens: Tokens, key: string): string {
  const next = tokens.peek();
  if (next === END || next === ",") return "";
  if (!isWord(next)) throw misfit(expected(next, "identifier"));
  return checkedValue(tokens.take(), key);
}

function parseBound(tokens: Tokens, key: string): string {
  const value = parseValue(tokens, key);
  if (!isInteger(value)) throw misfit("for 'Gt', 'Lt' operators, the value must be an integer");
  return value;
}

/** Parses `(a,b)`; a missing value before a comma or the closing parenthesis is the empty string, also in `()`. */
function parseValues(tokens: Tokens, key: string): readonly string[] {
  const open = tokens.take();
  if (open !== "(") throw misfit(expected(open, "'('"));
  const values: string[] = [];
  for (;;) {
    const next = tokens.peek();
    values.push(isWord(next) ? checkedValue(tokens.take(), key) : "");
    const end = tokens.take();
    if (end === ")") return sortedSet(values);
    if (end !== ",") throw misfit(expected(end, "',' or ')'"));
  }
}

function checkedValue(value: string, key: string): string {
  check(`invalid label value ${JSON.stringify(value)} at key ${JSON.stringify(key)}`, labelValueErrors(value));
  return value;
}

function check(what: string, errors: FormatErrors): void {
  if (errors.length > 0) throw misfit(`${what}: ${errors.join("; ")}`);
}

const expected = (found: string, wanted: string): string => `found '${found}', expected: ${wanted}`;

const misfit = (text: string) => badRequest(`unable to parse requirement: ${text}`);

const END = "";
const SYMBOL = /^(?:==|!=|[=!<>(),])$/;

/** Reports whether a token is a word. `in` and `notin` are operators only in operator position, and words elsewhere. */
const isWord = (token: string): boolean => token !== END && !SYMBOL.test(token);

/** Splits the query into symbols and words, dropping white space; returns "" after the last token. */
class Tokens {
  private readonly tokens: readonly string[];
  private next = 0;
  constructor(query: string) {
    this.tokens = query.match(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g) ?? [];
  }
  peek(): string {
    return this.tokens[this.next] ?? END;
  }
  take(): string {
    return this.tokens[this.next++] ?? END;
  }
}
