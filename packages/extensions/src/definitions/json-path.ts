// JSON paths of printer columns, scale subresources and selectable fields, such as `.spec.items[0].name` and
// `.status.conditions[?(@.type=="Ready")].status`. A path is parsed once. An invalid path finds nothing.
// Source: Kubernetes documentation, "JSONPath Support".
import { isObject, type JsonValue, memberOf } from "@orch/schema";

export interface JsonPath {
  /** Returns all values at the path, in order. */
  find(root: JsonValue): readonly JsonValue[];
}

type Step =
  | { readonly kind: "members"; readonly names: readonly string[] }
  | { readonly kind: "items"; readonly from: number | undefined; readonly to: number | undefined; readonly by: number }
  | { readonly kind: "item"; readonly at: readonly number[] }
  | { readonly kind: "all" }
  | { readonly kind: "below" }
  | { readonly kind: "where"; readonly test: Filter };

type Operand =
  | { readonly kind: "path"; readonly steps: readonly Step[] }
  | { readonly kind: "value"; readonly value: JsonValue };

interface Filter {
  readonly left: Operand;
  readonly operator: Operator | undefined;
  readonly right: Operand | undefined;
}

type Operator = "==" | "!=" | "<=" | ">=" | "<" | ">";

/** Maximum number of values visited by one search. */
const VISITS_MAX = 20_000;

/** Parses a path. @returns undefined for an invalid path */
export function parseJsonPath(text: string): JsonPath | undefined {
  const reader = new PathReader(text.trim());
  const steps = reader.steps(false);
  if (steps === undefined || !reader.atEnd) return undefined;
  return { find: (root) => new Search().find(steps, root) };
}

/** Returns the member names of a path such as `.spec.replicas`; undefined for a path with other steps. */
export function memberNames(text: string): readonly string[] | undefined {
  const reader = new PathReader(text.trim());
  const steps = reader.steps(false);
  if (steps === undefined || !reader.atEnd) return undefined;
  const names = steps.map((step) => (step.kind === "members" && step.names.length === 1 ? step.names[0] : undefined));
  return names.includes(undefined) ? undefined : (names as string[]);
}

class Search {
  private visits = 0;

  find(steps: readonly Step[], root: JsonValue): readonly JsonValue[] {
    let found: JsonValue[] = [root];
    for (const step of steps) {
      const next: JsonValue[] = [];
      for (const value of found) {
        this.visits += 1;
        if (this.visits > VISITS_MAX) return [];
        this.take(step, value, next);
      }
      found = next;
    }
    return found;
  }

  private take(step: Step, value: JsonValue, into: JsonValue[]): void {
    switch (step.kind) {
      case "members":
        if (isObject(value)) {
          for (const name of step.names) {
            const member = memberOf(value, name);
            if (member !== undefined) into.push(member);
          }
        }
        return;
      case "item":
        if (Array.isArray(value)) {
          for (const at of step.at) {
            const item = value.at(at);
            if (item !== undefined) into.push(item);
          }
        }
        return;
      case "items":
        if (Array.isArray(value)) {
          const end = step.to === undefined ? value.length : placeIn(value, step.to);
          for (let at = placeIn(value, step.from ?? 0); at < end; at += step.by) into.push(value[at] as JsonValue);
        }
        return;
      case "all":
        for (const part of partsOf(value)) into.push(part);
        return;
      case "below":
        this.takeBelow(value, into);
        return;
      case "where":
        for (const part of partsOf(value)) if (this.holds(step.test, part)) into.push(part);
    }
  }

  private takeBelow(value: JsonValue, into: JsonValue[]): void {
    const open = [value];
    for (let next = open.pop(); next !== undefined && this.visits <= VISITS_MAX; next = open.pop()) {
      this.visits += 1;
      into.push(next);
      const parts = partsOf(next);
      for (let at = parts.length - 1; at >= 0; at -= 1) open.push(parts[at] as JsonValue);
    }
  }

  private holds({ left, operator, right }: Filter, part: JsonValue): boolean {
    const value = this.valueOf(left, part);
    if (operator === undefined || right === undefined) return value !== undefined;
    const other = this.valueOf(right, part);
    return value !== undefined && other !== undefined && compares(value, operator, other);
  }

  private valueOf(operand: Operand, part: JsonValue): JsonValue | undefined {
    return operand.kind === "value" ? operand.value : this.find(operand.steps, part)[0];
  }
}

const placeIn = (list: readonly JsonValue[], at: number): number =>
  Math.max(0, Math.min(list.length, at < 0 ? list.length + at : at));

function partsOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? (Object.values(value) as JsonValue[]) : [];
}

function compares(one: JsonValue, operator: Operator, other: JsonValue): boolean {
  if (typeof one !== typeof other) return operator === "!=";
  switch (operator) {
    case "==":
      return one === other;
    case "!=":
      return one !== other;
    case "<":
      return (one as number) < (other as number);
    case "<=":
      return (one as number) <= (other as number);
    case ">":
      return (one as number) > (other as number);
    case ">=":
      return (one as number) >= (other as number);
  }
}

const OPERATORS: readonly Operator[] = ["==", "!=", "<=", ">=", "<", ">"];
const NUMBER = /-?\d+(?:\.\d+)?/y;
const SLICE = /\[\s*(-?\d+)?\s*:\s*(-?\d+)?\s*(?::\s*(\d+))?\s*\]/y;
const ITEMS = /\[\s*(-?\d+(?:\s*,\s*-?\d+)*)\s*\]/y;
const STAR = /\[\s*\*\s*\]/y;
/** Maximum nesting of filters. */
const DEPTH_MAX = 4;

class PathReader {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  get atEnd(): boolean {
    return this.at === this.text.length;
  }

  /** Parses steps. @param inFilter the path ends where a comparison begins */
  steps(inFilter: boolean): readonly Step[] | undefined {
    const steps: Step[] = [];
    while (!this.atEnd) {
      const char = this.text[this.at];
      if (char === ".") {
        if (this.text[this.at + 1] === ".") {
          this.at += this.text[this.at + 2] === "[" ? 2 : 1;
          steps.push({ kind: "below" });
          continue;
        }
        this.at += 1;
        if (this.atEnd) return steps.length === 0 ? steps : undefined;
        if (this.text[this.at] === "[") continue;
        const step = this.member(inFilter);
        if (step === undefined) return undefined;
        steps.push(step);
      } else if (char === "[") {
        const step = this.bracket();
        if (step === undefined) return undefined;
        steps.push(step);
      } else return inFilter ? steps : undefined;
    }
    return steps;
  }

  private member(inFilter: boolean): Step | undefined {
    if (this.text[this.at] === "*") {
      this.at += 1;
      return { kind: "all" };
    }
    let name = "";
    for (; !this.atEnd; this.at += 1) {
      const char = this.text[this.at] as string;
      if (char === "\\") {
        this.at += 1;
        name += this.text[this.at] ?? "";
      } else if (char === "." || char === "[" || (inFilter ? /[\s=!<>)]/ : /\s/).test(char)) break;
      else name += char;
    }
    return name === "" ? undefined : { kind: "members", names: [name] };
  }

  private bracket(): Step | undefined {
    const items = this.match(ITEMS);
    if (items !== undefined) return { kind: "item", at: (items[1] as string).split(",").map(Number) };
    if (this.match(STAR) !== undefined) return { kind: "all" };
    const slice = this.match(SLICE);
    if (slice !== undefined) {
      const [from, to, by] = slice.slice(1).map((each) => (each === undefined ? undefined : Number(each)));
      return { kind: "items", from, to, by: Math.max(1, by ?? 1) };
    }
    this.at += 1;
    this.blanks();
    return this.text[this.at] === "?" ? this.filter() : this.names();
  }

  private names(): Step | undefined {
    const names: string[] = [];
    for (;;) {
      this.blanks();
      const name = this.quoted();
      if (name === undefined) return undefined;
      names.push(name);
      this.blanks();
      const char = this.text[this.at];
      this.at += 1;
      if (char === "]") return { kind: "members", names };
      if (char !== ",") return undefined;
    }
  }

  private filter(): Step | undefined {
    this.depth += 1;
    this.at += 1;
    if (this.depth > DEPTH_MAX || this.text[this.at] !== "(") return undefined;
    this.at += 1;
    const left = this.operand();
    this.blanks();
    const operator = OPERATORS.find((each) => this.text.startsWith(each, this.at));
    if (operator !== undefined) this.at += operator.length;
    const right = operator === undefined ? undefined : this.operand();
    this.blanks();
    const isClosed = /^\)\s*\]/.exec(this.text.slice(this.at, this.at + 32));
    if (left === undefined || (operator !== undefined && right === undefined) || isClosed === null) return undefined;
    this.at += isClosed[0].length;
    this.depth -= 1;
    return { kind: "where", test: { left, operator, right } };
  }

  private operand(): Operand | undefined {
    this.blanks();
    const char = this.text[this.at];
    if (char === "@" || char === "$") {
      this.at += 1;
      const steps = this.steps(true);
      return steps && { kind: "path", steps };
    }
    if (char === '"' || char === "'") {
      const value = this.quoted();
      return value === undefined ? undefined : { kind: "value", value };
    }
    for (const value of [true, false]) {
      if (!this.text.startsWith(String(value), this.at)) continue;
      this.at += String(value).length;
      return { kind: "value", value };
    }
    const number = this.match(NUMBER);
    return number && { kind: "value", value: Number(number[0]) };
  }

  private quoted(): string | undefined {
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") return undefined;
    let text = "";
    for (this.at += 1; !this.atEnd; this.at += 1) {
      const char = this.text[this.at] as string;
      if (char === quote) {
        this.at += 1;
        return text;
      }
      if (char === "\\") this.at += 1;
      text += this.text[this.at] ?? "";
    }
    return undefined;
  }

  private blanks(): void {
    while (this.text[this.at] === " ") this.at += 1;
  }

  private match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at = pattern.lastIndex;
    return found;
  }
}
