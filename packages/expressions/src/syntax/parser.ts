// Recursive descent parser, limited in depth. Source: github.com/google/cel-spec, doc/langdef.md, "Syntax".

import { dottedName, type Expression, type ListItem, type MapEntry, type StructField } from "./expression";
import { ExpressionError } from "./expression-error";
import { type Token, tokensOf } from "./lexer";
import { MacroError, macroOf } from "./macros";

/**
 * Maximum length of an expression. cel-go allows 100,000 code points, whose compilation would block the event loop for
 * too long here.
 */
const CODE_POINTS_MAX = 20_000;
/** Maximum depth, as in cel-go. */
const DEPTH_MAX = 250;

const RESERVED = new Set(
  "as break const continue else for function if import let loop package namespace return var void while".split(" "),
);
const KEYWORDS = new Set(["true", "false", "null", "in"]);
const RELATIONS = new Set(["<", "<=", ">", ">=", "==", "!="]);

/**
 * Parses an expression.
 * @throws ExpressionError
 */
export function parseExpression(source: string): Expression {
  if (source.length > CODE_POINTS_MAX) {
    throw new ExpressionError("", [
      { at: 0, message: `expression code point size exceeds limit: size: ${source.length}, limit ${CODE_POINTS_MAX}` },
    ]);
  }
  return new Parser(source).whole();
}

class Parser {
  private readonly tokens: readonly Token[];
  private next = 0;
  private depth = 0;

  constructor(private readonly source: string) {
    this.tokens = tokensOf(source);
  }

  whole(): Expression {
    const expression = this.expression();
    if (this.token.kind !== "end") this.unexpected();
    return expression;
  }

  private get token(): Token {
    return this.tokens[this.next] as Token;
  }

  private fail(at: number, message: string): never {
    throw new ExpressionError(this.source, [{ at, message }]);
  }

  private unexpected(): never {
    const { token } = this;
    const text = token.kind === "end" ? "<EOF>" : this.source.slice(token.at, this.tokens[this.next + 1]?.at).trim();
    this.fail(token.at, `Syntax error: mismatched input '${text.slice(0, 40)}'`);
  }

  private isSign(...signs: readonly string[]): boolean {
    const { token } = this;
    return token.kind === "sign" && signs.includes(token.text);
  }

  private takes(sign: string): boolean {
    if (!this.isSign(sign)) return false;
    this.next += 1;
    return true;
  }

  private expect(sign: string): void {
    if (!this.takes(sign)) this.unexpected();
  }

  private nested<Result>(read: () => Result): Result {
    this.depth += 1;
    if (this.depth > DEPTH_MAX) this.fail(this.token.at, `expression recursion limit exceeded: ${DEPTH_MAX}`);
    const result = read();
    this.depth -= 1;
    return result;
  }

  private expression(): Expression {
    return this.nested(() => {
      const test = this.logic("||");
      const { at } = this.token;
      if (!this.takes("?")) return test;
      const yes = this.logic("||");
      this.expect(":");
      return { kind: "conditional", at, test, yes, no: this.expression() };
    });
  }

  private logic(operator: "||" | "&&"): Expression {
    const operand = () => (operator === "||" ? this.logic("&&") : this.relation());
    const first = operand();
    const { at } = this.token;
    if (!this.isSign(operator)) return first;
    const operands = [first];
    while (this.takes(operator)) operands.push(operand());
    return { kind: "logic", at, operator, operands };
  }

  /**
   * Parses left-associative operators of one precedence. Each increases the depth of the tree, like a pair of
   * parentheses.
   */
  private leftward(operand: () => Expression, operator: () => string | undefined): Expression {
    let left = operand();
    const { depth } = this;
    for (;;) {
      const { at } = this.token;
      const sign = operator();
      if (sign === undefined) break;
      this.depth += 1;
      if (this.depth > DEPTH_MAX) this.fail(at, `expression recursion limit exceeded: ${DEPTH_MAX}`);
      this.next += 1;
      left = { kind: "call", at, name: sign, args: [left, operand()] };
    }
    this.depth = depth;
    return left;
  }

  private readonly signOf =
    (signs: ReadonlySet<string>, word?: string): (() => string | undefined) =>
    () => {
      const { token } = this;
      if (token.kind === "sign") return signs.has(token.text) ? `_${token.text}_` : undefined;
      return token.kind === "identifier" && !token.isQuoted && word !== undefined && token.text === word
        ? `@${word}`
        : undefined;
    };
  private readonly relationSign = this.signOf(RELATIONS, "in");
  private readonly sumSign = this.signOf(new Set(["+", "-"]));
  private readonly productSign = this.signOf(new Set(["*", "/", "%"]));

  private relation = (): Expression => this.leftward(this.sum, this.relationSign);
  private readonly sum = (): Expression => this.leftward(this.product, this.sumSign);
  private readonly product = (): Expression => this.leftward(this.unary, this.productSign);

  private readonly unary = (): Expression => {
    const { at } = this.token;
    for (const sign of ["!", "-"] as const) {
      let times = 0;
      while (this.takes(sign)) times += 1;
      if (times === 0) continue;
      if (sign === "-" && times === 1) {
        const literal = this.negated(at);
        if (literal !== undefined) return this.member(literal);
      }
      const operand = this.member(this.primary());
      // An even number of equal operators is dropped, as in cel-go.
      return times % 2 === 0 ? operand : { kind: "call", at, name: sign === "!" ? "!_" : "-_", args: [operand] };
    }
    return this.member(this.primary());
  };

  /** Parses a negative number as one literal, so that the minimum integer can be written. */
  private negated(at: number): Expression | undefined {
    const { token } = this;
    if (token.kind !== "literal" || (typeof token.value !== "bigint" && typeof token.value !== "number"))
      return undefined;
    this.next += 1;
    return { kind: "literal", at, value: -token.value };
  }

  private member(start: Expression): Expression {
    let operand = start;
    const { depth } = this;
    for (;;) {
      const { at } = this.token;
      this.depth += 1;
      if (this.depth > DEPTH_MAX) this.fail(at, `expression recursion limit exceeded: ${DEPTH_MAX}`);
      if (this.takes(".")) {
        const mode = this.takes("?") ? "optional" : "value";
        const quotedAt = this.token.at;
        const { text, isQuoted } = this.selector();
        if (mode === "value" && !isQuoted && this.takes("(")) {
          operand = this.call(at, text, this.args(")"), operand);
        } else {
          operand = { kind: "select", at, operand, field: text, mode, ...(isQuoted && { quotedAt }) };
        }
      } else if (this.takes("[")) {
        const name = this.takes("?") ? "_[?_]" : "_[_]";
        const index = this.expression();
        this.expect("]");
        operand = { kind: "call", at, name, args: [operand, index] };
      } else if (this.isSign("{")) {
        const typeName = dottedName(operand);
        if (typeName === undefined) break;
        operand = this.struct(at, typeName);
      } else break;
    }
    this.depth = depth;
    return operand;
  }

  private selector(): { text: string; isQuoted: boolean } {
    const { token } = this;
    if (token.kind !== "identifier" || (!token.isQuoted && KEYWORDS.has(token.text))) this.unexpected();
    this.next += 1;
    return { text: token.text, isQuoted: token.isQuoted };
  }

  private call(at: number, name: string, args: readonly Expression[], target?: Expression): Expression {
    try {
      const macro = macroOf({ at, name, args, ...(target === undefined ? {} : { target }) });
      if (macro !== undefined) return macro;
    } catch (error) {
      if (error instanceof MacroError) this.fail(error.at, error.message);
      throw error;
    }
    return target === undefined ? { kind: "call", at, name, args } : { kind: "call", at, name, target, args };
  }

  private args(end: string): Expression[] {
    const args: Expression[] = [];
    if (this.takes(end)) return args;
    do args.push(this.expression());
    while (this.takes(","));
    this.expect(end);
    return args;
  }

  private primary(): Expression {
    const { token } = this;
    const { at } = token;
    switch (token.kind) {
      case "literal":
        if (token.value === 2n ** 63n) this.fail(at, "invalid int literal");
        this.next += 1;
        return { kind: "literal", at, value: token.value };
      case "identifier":
        return this.word(token);
      case "end":
        return this.unexpected();
      case "sign":
        break;
    }
    if (this.takes("(")) {
      const inner = this.expression();
      this.expect(")");
      return inner;
    }
    if (this.takes("[")) return this.list(at);
    if (this.isSign("{")) return this.map(at);
    if (this.takes(".")) {
      // A leading dot resolves the name in the root scope, which is the only one here.
      const { text } = this.selector();
      if (this.takes("(")) return this.call(at, text, this.args(")"));
      return { kind: "identifier", at, name: `.${text}` };
    }
    return this.unexpected();
  }

  private word(token: Token & { kind: "identifier" }): Expression {
    const { at, text } = token;
    if (token.isQuoted) this.unexpected();
    this.next += 1;
    switch (text) {
      case "true":
      case "false":
        return { kind: "literal", at, value: text === "true" };
      case "null":
        return { kind: "literal", at, value: null };
      case "in":
        this.next -= 1;
        return this.unexpected();
    }
    if (RESERVED.has(text)) this.fail(at, `reserved identifier: ${text}`);
    return this.takes("(") ? this.call(at, text, this.args(")")) : { kind: "identifier", at, name: text };
  }

  private list(at: number): Expression {
    const items: ListItem[] = [];
    while (!this.takes("]")) {
      const isOptional = this.takes("?");
      items.push({ value: this.expression(), isOptional });
      if (this.takes(",")) continue;
      this.expect("]");
      break;
    }
    return { kind: "list", at, items };
  }

  private map(at: number): Expression {
    const entries: MapEntry[] = [];
    this.expect("{");
    while (!this.takes("}")) {
      const isOptional = this.takes("?");
      const key = this.expression();
      this.expect(":");
      entries.push({ key, value: this.expression(), isOptional });
      if (this.takes(",")) continue;
      this.expect("}");
      break;
    }
    return { kind: "map", at, entries };
  }

  private struct(at: number, typeName: string): Expression {
    const fields: StructField[] = [];
    this.expect("{");
    while (!this.takes("}")) {
      const isOptional = this.takes("?");
      const quotedAt = this.token.at;
      const { text: name, isQuoted } = this.selector();
      const colonAt = this.token.at;
      this.expect(":");
      fields.push({ name, colonAt, ...(isQuoted && { quotedAt }), value: this.expression(), isOptional });
      if (this.takes(",")) continue;
      this.expect("}");
      break;
    }
    return { kind: "struct", at, typeName, fields };
  }
}
