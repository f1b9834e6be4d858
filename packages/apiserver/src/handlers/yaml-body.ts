// Bodies in YAML. The library is loaded by the first body that needs it.
import { type DecodeProblem, type JsonValue, PROBLEMS_MAX, parseJson, pathText } from "@orch/schema";
import type { CST, ParsedNode, YAMLParseError } from "yaml";

type Yaml = typeof import("yaml");

export interface ParsedYaml {
  readonly value: JsonValue;
  readonly problems: readonly DecodeProblem[];
}

/**
 * Words such as `yes` and `0777` mean what they do in version 1.1. Of keys that a mapping has twice the last one counts.
 * @throws Error for what is no YAML
 */
export async function parseYaml(body: Buffer): Promise<ParsedYaml> {
  const yaml = await import("yaml");
  const text = body.toString();
  const lines = new yaml.LineCounter();
  const composer = new yaml.Composer({ version: "1.1", uniqueKeys: false, logLevel: "error" });
  const [document, second] = composer.compose(boundedTokens(text, lines, yaml), true, text.length);
  if (document === undefined) throw new Error("there is no document");
  const [error] = document.errors;
  if (error !== undefined) throw new Error(errorText(error, lines));
  if (second !== undefined) throw new Error("there is more than one document");
  const resolved: unknown = document.toJS({ maxAliasCount: -1 });
  lengthOf(resolved, new Map());
  // Through JSON, so that dates, maps and whatever else YAML knows become what JSON has.
  const { value, problems } = parseJson(JSON.stringify(resolved ?? null));
  return { value, problems: [...duplicateKeys(document.contents, yaml), ...problems] };
}

/** Collections inside one another. What is composed of them calls itself for each, several functions deep. */
const DEPTH_MAX = 250;

/** Anchors and aliases of a document: each alias is looked for among all of them. */
const NAMES_MAX = 1000;

/** A text of ten times the usual size for an object; each takes some time to compose. */
const LEXEMES_MAX = 500_000;

/** A text that would take the parser too far is refused before anything is made of it. */
function* boundedTokens(text: string, lines: InstanceType<Yaml["LineCounter"]>, yaml: Yaml): Generator<CST.Token> {
  lines.addNewLine(0);
  const parser = new yaml.Parser(lines.addNewLine);
  let lexemes = 0;
  let names = 0;
  let isScalar = false;
  for (const lexeme of new yaml.Lexer().lex(text)) {
    if (!isScalar && (lexeme[0] === "&" || lexeme[0] === "*")) names += 1;
    isScalar = lexeme === yaml.CST.SCALAR;
    lexemes += 1;
    yield* parser.next(lexeme);
    if (parser.stack.length > DEPTH_MAX) throw new Error(`nested deeper than ${DEPTH_MAX} levels`);
    if (lexemes > LEXEMES_MAX) throw new Error(`there are more than ${LEXEMES_MAX} words and marks`);
    if (names > NAMES_MAX) throw new Error(`there are more than ${NAMES_MAX} anchors and aliases`);
  }
  yield* parser.end();
}

/** Characters of JSON, roughly, into which aliases may unfold. */
const LENGTH_MAX = 16 * 1024 * 1024;
const RESOLVED_DEPTH_MAX = 1000;

/**
 * How long the text of a value is, roughly. What aliases stand for is there once, and is looked at once.
 * @throws Error for what is too large to be spelt out, or has no end
 */
function lengthOf(value: unknown, known: Map<object, number>, depth = 0): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  if (depth > RESOLVED_DEPTH_MAX)
    throw new Error("an alias stands for what it is itself a part of, or they are nested too deep");
  let length = known.get(value);
  if (length === undefined) {
    length = 2;
    for (const [key, item] of Object.entries(value)) length += key.length + 2 + lengthOf(item, known, depth + 1);
    if (length > LENGTH_MAX) throw new Error("it is too large once its aliases are resolved");
    known.set(value, length);
  }
  return length;
}

function errorText({ message, pos }: YAMLParseError, lines: InstanceType<Yaml["LineCounter"]>): string {
  const { line, col } = lines.linePos(pos[0]);
  return `${message} at line ${line}, column ${col}`;
}

function duplicateKeys(root: unknown, yaml: Yaml): readonly DecodeProblem[] {
  const problems: DecodeProblem[] = [];
  const path: (string | number)[] = [];
  const inside = (step: string | number, node: unknown): void => {
    path.push(step);
    visit(node);
    path.pop();
  };
  function visit(node: unknown): void {
    if (yaml.isSeq<ParsedNode>(node)) {
      for (const [index, item] of node.items.entries()) inside(index, item);
    }
    if (!yaml.isMap<ParsedNode, ParsedNode | null>(node)) return;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      const name = String(yaml.isScalar(key) ? key.value : key);
      if (seen.has(name) && problems.length < PROBLEMS_MAX) {
        problems.push({ kind: "duplicateField", path: pathText([...path, name]) });
      }
      seen.add(name);
      inside(name, value);
    }
  }
  visit(root);
  return problems;
}
