// Templates of `-o jsonpath`: text with expressions in braces. Source: Kubernetes documentation, "JSONPath Support".
import { CliError } from "../process/cli-error";

/** A step of an expression, which maps values to values. */
export type Step =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "literal"; readonly value: number | boolean }
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "wildcard" }
  | { readonly kind: "descent" }
  | {
      readonly kind: "slice";
      readonly from?: number;
      readonly to?: number;
      readonly step?: number;
      readonly isIndex: boolean;
    }
  | { readonly kind: "union"; readonly parts: readonly (readonly Step[])[] }
  | { readonly kind: "filter"; readonly left: readonly Step[]; readonly test?: FilterTest };

export interface FilterTest {
  readonly operator: string;
  readonly right: readonly Step[];
}

/** A part of a template; the parts of a range are repeated for each of its values. */
export type TemplatePart =
  | { readonly kind: "steps"; readonly steps: readonly Step[] }
  | { readonly kind: "range"; readonly steps: readonly Step[]; readonly parts: readonly TemplatePart[] };

/** Maximum length of a template. */
const LENGTH_MAX = 64 * 1024;
/** Maximum nesting of ranges, and of filters within filters. */
const DEPTH_MAX = 20;

/** Parses a template. @throws CliError */
export function parseTemplate(template: string): readonly TemplatePart[] {
  if (template.length > LENGTH_MAX) throw new CliError(`the template is longer than ${LENGTH_MAX} characters`);
  const top: TemplatePart[] = [];
  const open: TemplatePart[][] = [top];
  const add = (part: TemplatePart) => (open.at(-1) as TemplatePart[]).push(part);
  let at = 0;
  while (at < template.length) {
    const brace = template.indexOf("{", at);
    const end = brace < 0 ? template.length : brace;
    if (end > at) add({ kind: "steps", steps: [{ kind: "text", text: template.slice(at, end) }] });
    if (brace < 0) break;
    const reader = new StepReader(template, brace + 1);
    const { steps, word } = reader.action();
    at = reader.at;
    if (word === "range") {
      if (open.length > DEPTH_MAX) throw fault(template, `ranges are nested deeper than ${DEPTH_MAX}`);
      const parts: TemplatePart[] = [];
      add({ kind: "range", steps, parts });
      open.push(parts);
    } else if (word === "end") {
      if (open.length === 1) throw fault(template, "not in range, nothing to end");
      open.pop();
    } else add({ kind: "steps", steps });
  }
  return top;
}

/** Returns the error of a template. */
const fault = (template: string, why: string): CliError => new CliError(`error parsing jsonpath ${template}, ${why}`);

const SLICE = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+)$/s;
const OPERATORS = new Set(["==", "!=", "<", ">", "<=", ">="]);
/** Characters that end a name. */
const END_OF_NAME = /[ \t\r\n.,[\]$@{}]/;
const WORD = /[\p{L}\p{Nd}_]/u;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

class StepReader {
  private steps: Step[] = [];
  private word: string | undefined;

  constructor(
    private readonly text: string,
    public at: number,
    private readonly depth = 0,
  ) {}

  /** Reads the steps up to the closing brace. */
  action(): { readonly steps: readonly Step[]; readonly word: string | undefined } {
    for (;;) {
      if (this.at >= this.text.length || /[\r\n]/.test(this.text[this.at] as string))
        throw this.fault("unclosed action");
      if (this.text[this.at] === "}") {
        this.at += 1;
        return { steps: this.steps, word: this.word };
      }
      this.step();
    }
  }

  /** Reads the steps up to the end of the text. */
  all(): readonly Step[] {
    while (this.at < this.text.length) this.step();
    return this.steps;
  }

  private step(): void {
    const { text } = this;
    const character = text[this.at] as string;
    if (text.startsWith("[?(", this.at)) this.filter();
    else if (text.startsWith("..", this.at)) this.descent();
    else if (character === " " || character === "@" || character === "$") this.at += 1;
    else if (character === "[") this.brackets();
    else if (character === '"' || character === "'") this.quoted(character);
    else if (character === ".") {
      this.at += 1;
      this.field();
    } else if (/[+\-\d]/.test(character)) this.number();
    else if (WORD.test(character)) this.identifier();
    else throw this.fault(`unrecognized character in action: ${JSON.stringify(character)}`);
  }

  private filter(): void {
    const from = this.at + 3;
    let quote: string | undefined;
    let end = from;
    for (; ; end += 1) {
      const character = this.text[end];
      if (character === undefined || character === "\n") throw this.fault("unterminated filter");
      if (quote !== undefined) {
        if (character === quote && this.text[end - 1] !== "\\") quote = undefined;
      } else if (character === '"' || character === "'") quote = character;
      else if (character === ")") break;
    }
    if (this.text[end + 1] !== "]") throw this.fault("unclosed array expect ]");
    this.at = end + 2;
    const inner = this.text.slice(from, end);
    const [, left, operator = "", right = ""] = COMPARISON.exec(inner) ?? [];
    if (left === undefined) {
      this.steps.push({ kind: "filter", left: this.inner(inner) });
      return;
    }
    if (!OPERATORS.has(operator)) throw this.fault(`unrecognized filter operator ${operator}`);
    this.steps.push({ kind: "filter", left: this.inner(left), test: { operator, right: this.inner(right) } });
  }

  private inner(text: string): readonly Step[] {
    if (this.depth > DEPTH_MAX) throw this.fault(`filters are nested deeper than ${DEPTH_MAX}`);
    return new StepReader(text, 0, this.depth + 1).all();
  }

  private descent(): void {
    if (this.steps.at(-1)?.kind === "descent") throw this.fault("invalid multiple recursive descent");
    this.at += 2;
    this.steps.push({ kind: "descent" });
    const next = this.text[this.at];
    if (next !== undefined && WORD.test(next)) this.field();
    else if (next === "*") {
      this.at += 1;
      this.steps.push({ kind: "wildcard" });
    }
  }

  private brackets(): void {
    const end = this.text.indexOf("]", this.at);
    const inner = end < 0 ? "\n" : this.text.slice(this.at + 1, end);
    if (inner.includes("\n")) throw this.fault("unterminated array");
    this.at = end + 1;
    const parts = inner.split(",");
    if (parts.length > 1) this.steps.push({ kind: "union", parts: parts.map((part) => [this.bracketed(part.trim())]) });
    else this.steps.push(this.bracketed(inner));
  }

  private bracketed(text: string): Step {
    if (text === "*") return { kind: "slice", isIndex: false };
    const key = /^'([^']*)'$/.exec(text)?.[1] ?? /^"([^"]*)"$/.exec(text)?.[1];
    if (key !== undefined) return { kind: "field", name: key.replaceAll("\\", "") };
    const found = SLICE.exec(text);
    if (found === null || text === "" || text === "-") throw this.fault(`invalid array index ${text}`);
    const [from, to, step] = found
      .slice(1)
      .map((part) => (part === undefined || part === "" ? undefined : Number(part)));
    return {
      kind: "slice",
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(step === undefined ? {} : { step }),
      isIndex: !text.includes(":"),
    };
  }

  private quoted(quote: string): void {
    let text = "";
    for (let at = this.at + 1; ; at += 1) {
      const character = this.text[at];
      if (character === undefined || character === "\n") throw this.fault("unterminated quoted string");
      if (character === quote) {
        this.at = at + 1;
        this.steps.push({ kind: "text", text });
        return;
      }
      if (character !== "\\") text += character;
      else {
        at += 1;
        const [code, length] = this.escape(at);
        text += code;
        at += length;
      }
    }
  }

  /** Returns what an escape stands for, and the number of characters after the letter. */
  private escape(at: number): readonly [string, number] {
    const letter = this.text[at] ?? "";
    const digits = { x: 2, u: 4, U: 8 }[letter];
    if (digits === undefined) return [ESCAPES[letter] ?? letter, 0];
    const code = Number.parseInt(this.text.slice(at + 1, at + 1 + digits), 16);
    if (!(code <= 0x10ffff)) throw this.fault(`invalid escape \\${letter}`);
    return [String.fromCodePoint(code), digits];
  }

  private field(): void {
    let name = "";
    for (; this.at < this.text.length; this.at += 1) {
      const character = this.text[this.at] as string;
      if (character === "\\") {
        this.at += 1;
        name += this.text[this.at] ?? "";
      } else if (END_OF_NAME.test(character)) break;
      else name += character;
    }
    // `{.}` stands for the value itself.
    if (name === "*") this.steps.push({ kind: "wildcard" });
    else if (name !== "") this.steps.push({ kind: "field", name });
  }

  private number(): void {
    const text = /[+-]?[\d.]*/y;
    text.lastIndex = this.at;
    const found = (text.exec(this.text) as RegExpExecArray)[0];
    if (found === "" || Number.isNaN(Number(found))) throw this.fault(`cannot parse number ${found}`);
    this.at += found.length;
    this.steps.push({ kind: "literal", value: Number(found) });
  }

  private identifier(): void {
    const from = this.at;
    while (this.at < this.text.length && !END_OF_NAME.test(this.text[this.at] as string)) this.at += 1;
    const word = this.text.slice(from, this.at);
    if (word === "true" || word === "false") this.steps.push({ kind: "literal", value: word === "true" });
    else if (word === "range" || word === "end") this.word = word;
    else throw this.fault(`unrecognized identifier ${word}`);
  }

  private fault(why: string): CliError {
    return fault(this.text, why);
  }
}
