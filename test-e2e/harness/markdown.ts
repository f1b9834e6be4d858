// The parts of a Markdown page that tests use: code blocks with their test marks, links and inline code.
// docs/README.md describes the marks.

/** Treatment of a code block by the tests. */
export type Mark =
  /** The block is written to this file of the page's folder. */
  | { readonly kind: "file"; readonly name: string }
  /** The block starts a program that keeps running. It is ready when its output contains the text. */
  | { readonly kind: "background"; readonly until: string | undefined }
  /** Programs of earlier blocks are stopped before this block. */
  | { readonly kind: "stop" }
  /** The block must end with an exit code other than 0. */
  | { readonly kind: "fails" }
  /** The block's output must match. */
  | { readonly kind: "prints"; readonly pattern: RegExp }
  /** A text block: the lines that the block before it prints. */
  | { readonly kind: "output" }
  /** A TypeScript block that is compiled and not run. */
  | { readonly kind: "compile" }
  /** A test file that runs the block in another way. @param on the machines, where there are several */
  | { readonly kind: "runBy"; readonly test: string; readonly on: string | undefined }
  | { readonly kind: "notRun"; readonly reason: string };

export interface Block {
  readonly language: string;
  readonly text: string;
  readonly marks: readonly Mark[];
  /** Line number of the opening fence, from 1. */
  readonly line: number;
  /** Text of the heading above. */
  readonly heading: string;
}

export interface Page {
  readonly blocks: readonly Block[];
  /** Targets of all links, as written. */
  readonly links: readonly string[];
  /** Texts of inline code. */
  readonly code: readonly string[];
  /** Line numbers of blocks that are indented instead of fenced. */
  readonly indentedBlocks: readonly number[];
  /** The environment of the page's blocks: the words of `<!-- page: … -->`. */
  readonly environment: string | undefined;
}

const FENCE = /^( *)(```+)(\w*)\s*$/;
const MARK = /^ *<!-- test: (.*) -->$/;

/** @throws Error with the line number of an unknown mark, of a mark without a block, or of a fence that is not closed */
export function parsePage(text: string): Page {
  const lines = text.split("\n");
  const blocks: Block[] = [];
  const prose: string[] = [];
  const indentedBlocks: number[] = [];
  let marks: Mark[] = [];
  let heading = "";
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    const [, indent = "", fence, language = ""] = FENCE.exec(line) ?? [];
    const [, mark] = MARK.exec(line) ?? [];
    if (mark !== undefined) {
      marks.push(parseMark(mark, index + 1));
    } else if (fence !== undefined) {
      const end = lines.findIndex((other, at) => at > index && other.trim() === fence);
      if (end < 0) throw new Error(`line ${index + 1}: the fence is not closed`);
      const content = lines.slice(index + 1, end).map((each) => each.replace(indent, ""));
      blocks.push({ language, text: `${content.join("\n")}\n`, marks, line: index + 1, heading });
      marks = [];
      index = end;
    } else {
      if (marks.length > 0 && line.trim() !== "")
        throw new Error(`line ${index + 1}: a mark must precede a code block`);
      if (/^ {4}/.test(line) && lines[index - 1] === "") indentedBlocks.push(index + 1);
      heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
      prose.push(line);
    }
  }
  const running = prose.join("\n");
  return {
    blocks,
    links: [...running.replace(/`[^`\n]*`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target),
    code: [...running.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code),
    indentedBlocks,
    environment: /^<!-- page: (.*) -->$/m.exec(running)?.[1],
  };
}

function parseMark(text: string, line: number): Mark {
  const [, word = "", rest = ""] = /^(not run:|run by|\w+)(?: (.*))?$/.exec(text) ?? [];
  if (word === "file" && rest !== "") return { kind: "file", name: rest };
  if (word === "background") return { kind: "background", until: /^until (.*)$/.exec(rest)?.[1] };
  if (word === "stop") return { kind: "stop" };
  if (word === "fails") return { kind: "fails" };
  if (word === "prints" && rest !== "") return { kind: "prints", pattern: new RegExp(rest, "m") };
  if (word === "output") return { kind: "output" };
  if (word === "compile") return { kind: "compile" };
  if (word === "run by" && rest !== "") {
    const [test = "", on] = rest.split(/ on (.*)/);
    return { kind: "runBy", test, on };
  }
  if (word === "not run:" && rest !== "") return { kind: "notRun", reason: rest };
  throw new Error(`line ${line}: unknown mark: ${text}`);
}

export function markOf<Kind extends Mark["kind"]>(
  block: Block,
  kind: Kind,
): Extract<Mark, { readonly kind: Kind }> | undefined {
  return block.marks.find((mark): mark is Extract<Mark, { readonly kind: Kind }> => mark.kind === kind);
}
