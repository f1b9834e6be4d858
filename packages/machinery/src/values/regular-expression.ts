// Regular expressions that clients bring along, such as the patterns of definitions: those of RE2, which match in linear time. What is
// large all the same is refused before it is compiled: `(((a{100}){100}){100})` is short, and its program would have a million steps.
// Source: facts, validation/apiextensions.md "pattern"; RE2, "Syntax".
import { RE2JS, RE2JSSyntaxException } from "re2js";

/** Characters of an expression, and steps of its program. */
const TEXT_MAX = 4096;
const SIZE_MAX = 10_000;

/** Of what one expression remembers of the texts that it has seen; beyond it, it forgets and goes on without where that does not pay. */
const MEMORY_MAX_BYTES = 256 * 1024;

export class RegularExpression {
  private readonly compiled: RE2JS;
  private spent = 0;
  private times: { forgot: number } | undefined;

  private constructor(
    compiled: RE2JS,
    /** Steps of the program: what each character of a text is held against, at most. */
    readonly size: number,
  ) {
    this.compiled = compiled;
  }

  /** @returns what is wrong with a text that is no expression, or one that is too large */
  static compile(text: string): RegularExpression | string {
    if (text.length > TEXT_MAX) return `it has more than ${TEXT_MAX} characters`;
    const size = sizeBound(text);
    if (size > SIZE_MAX) return "it is too large once its repetitions are spelt out";
    try {
      return new RegularExpression(RE2JS.compile(text), size);
    } catch (error) {
      if (error instanceof RE2JSSyntaxException) return error.message;
      throw error;
    }
  }

  /** Whether a text has a part that the expression describes. */
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
    // With what it remembers it takes a step a character; all steps of the program, for what it must find out or cannot remember.
    const withAll = this.times.forgot > forgot || dfa.failed ? text.length : dfa.stateCount - before;
    this.spent += text.length + 1 + withAll * this.size;
    return found;
  }

  /** Steps that all tests have taken so far, of which a million take some 20 ms. */
  get work(): number {
    return this.spent;
  }
}

/** Bounds what an expression remembers, and counts how often it forgets that. */
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

/** Classes of letters of all scripts are tables of hundreds of ranges. */
const UNICODE_CLASS_SIZE = 100;

const REPETITION = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;
const UNICODE_CLASS = /\\[pP](?:\{[^}]*\}|.)/y;
const CODE_POINT = /\\x\{[^}]*\}/y;

/** At least as many steps as the program of an expression has. Of what is no expression it says nothing of use. */
function sizeBound(text: string): number {
  /** Of the groups that are open, the outermost first. */
  const open = [0];
  /** Of what stands before a repetition. */
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
  // A bracket that closes means itself where nothing is in the class yet.
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
