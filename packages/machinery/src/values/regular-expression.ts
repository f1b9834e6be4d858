// Regular expressions from clients, such as patterns in CustomResourceDefinitions. Uses the RE2 syntax, which matches
// in linear time. An expression with a large program is refused before it is compiled: `(((a{100}){100}){100})` is
// short, but its program would have a million steps. Source: github.com/google/re2/wiki/Syntax.
import { RE2JS, RE2JSSyntaxException } from "re2js";

/** Maximum characters of an expression, and maximum steps of its program. */
const TEXT_MAX = 4096;
const SIZE_MAX = 10_000;

/**
 * Maximum size of the DFA cache of an expression. Beyond it the cache is cleared, and matching continues without it
 * when clearing is not effective.
 */
const MEMORY_MAX_BYTES = 256 * 1024;

export class RegularExpression {
  private readonly compiled: RE2JS;
  private spent = 0;
  private times: { forgot: number } | undefined;

  private constructor(
    compiled: RE2JS,
    /** Number of steps of the program: upper bound of the work per character of a text. */
    readonly size: number,
  ) {
    this.compiled = compiled;
  }

  /**
   * Compiles an expression.
   * @returns an error text when the expression is invalid or too large
   */
  static compile(text: string): RegularExpression | string {
    if (text.length > TEXT_MAX) return `it has more than ${TEXT_MAX} characters`;
    const size = sizeBound(text);
    if (size > SIZE_MAX) return "it is too large after its repetitions are expanded";
    try {
      return new RegularExpression(RE2JS.compile(text), size);
    } catch (error) {
      if (error instanceof RE2JSSyntaxException) return error.message;
      throw error;
    }
  }

  /** Reports whether a part of a text matches. */
  test(text: string): boolean {
    const re2 = this.compiled.re2();
    if (re2.onepass !== null) {
      this.spent += text.length + 1;
      return this.compiled.test(text);
    }
    const { dfa } = re2;
    this.times ??= counted(dfa);
    const { forgot } = this.times;
    const before = dfa.stateCount;
    const found = this.compiled.test(text);
    // A cached DFA state costs one step per character; a new state, or one that cannot be cached, costs all steps of
    // the program.
    const withAll = this.times.forgot > forgot || dfa.failed ? text.length : dfa.stateCount - before;
    this.spent += text.length + 1 + withAll * this.size;
    return found;
  }

  /** Yields the matching parts of a text, from left to right. */
  *matchesIn(text: string): Generator<string> {
    const matcher = this.compiled.matcher(text);
    while (matcher.find()) yield matcher.group() ?? "";
  }

  /** Number of steps that all tests have taken so far; a million steps take some 20 ms. */
  get work(): number {
    return this.spent;
  }
}

/** Limits the DFA cache of an expression, and counts how often it is cleared. */
function counted(dfa: ReturnType<RE2JS["re2"]>["dfa"]): { forgot: number } {
  const times = { forgot: 0 };
  dfa.maxMem = MEMORY_MAX_BYTES;
  dfa.stateBudget = Math.min(dfa.stateBudget, MEMORY_MAX_BYTES);
  dfa.memBudget = Math.min(dfa.memBudget, MEMORY_MAX_BYTES);
  const clear = dfa.clearCache.bind(dfa);
  dfa.clearCache = () => {
    times.forgot += 1;
    clear();
  };
  return times;
}

/** Estimated size of a Unicode class, which is a table of hundreds of ranges. */
const UNICODE_CLASS_SIZE = 100;

const REPETITION = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const UNICODE_CLASS = /\\[pP](?:\{[^}]*\}|.)/y;
const CODE_POINT = /\\x\{[^}]*\}/y;

/**
 * Returns an upper bound of the steps of an expression's program. The result is meaningless for an invalid expression.
 */
function sizeBound(text: string): number {
  /** Sizes of the open groups, the outermost first. */
  const open = [0];
  /** Size of the operand of a following repetition. */
  let last = 0;
  const add = (size: number): void => {
    open.push((open.pop() ?? 0) + size);
    last = size;
  };
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    const unicode = lengthAt(UNICODE_CLASS, text, at);
    if (unicode > 0) {
      add(UNICODE_CLASS_SIZE);
      at += unicode;
    } else if (text.startsWith("\\Q", at)) {
      const end = text.indexOf("\\E", at + 2);
      const behind = end < 0 ? text.length : end;
      add(behind - at - 2);
      at = end < 0 ? behind : behind + 2;
    } else if (character === "\\") {
      add(1);
      at += lengthAt(CODE_POINT, text, at) || 2;
    } else if (character === "[") {
      const end = classEnd(text, at);
      add(1 + UNICODE_CLASS_SIZE * unicodeClasses(text.slice(at, end)));
      at = end;
    } else if (character === "(") {
      open.push(0);
      at += 1;
    } else if (character === ")") {
      add((open.length > 1 ? (open.pop() ?? 0) : 0) + 2);
      at += 1;
    } else if (character === "{" && lengthAt(REPETITION, text, at) > 0) {
      const [whole, min = "0", max = ""] = match(REPETITION, text, at) ?? [""];
      const times = Math.max(Number(min), Number(max), 1);
      add(last * (times - 1) + times);
      at += whole.length;
    } else {
      add(1);
      at += 1;
    }
  }
  return open.reduce((sum, size) => sum + size, 0);
}

function classEnd(text: string, start: number): number {
  // A closing bracket is literal at the start of a class.
  let at = start + 1;
  if (text[at] === "^") at += 1;
  if (text[at] === "]") at += 1;
  for (; at < text.length && text[at] !== "]"; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text.startsWith("[:", at)) at = Math.max(at, text.indexOf(":]", at) + 1);
  }
  return at + 1;
}

const unicodeClasses = (text: string): number => text.split(/\\[pP]/).length - 1;

const lengthAt = (pattern: RegExp, text: string, at: number): number => match(pattern, text, at)?.[0].length ?? 0;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
