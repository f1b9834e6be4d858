// Paths of fields in query parameters, such as `.metadata.name`, `.metadata.labels['example.com/tier']` and
// `.spec.containers[*].image`. Source: docs/lists.md, "Paths".
import { badRequest } from "../errors/request-errors";
import type { StatusError } from "../errors/status-error";

/** The fields that some paths select, as a tree of member names. */
export interface FieldTree {
  /** Whether the value is selected with everything below it. */
  readonly whole: boolean;
  readonly members: ReadonlyMap<string, FieldTree>;
  /** The selection in each item of a list; undefined when no path enters a list here. */
  readonly items: FieldTree | undefined;
}

/** Maximum number of paths of a request, and of steps of a path. */
export const PATHS_MAX = 64;
export const STEPS_MAX = 16;

/** A member name, or each item of a list. */
type Step = { readonly member: string } | { readonly items: true };

/**
 * Parses paths that are separated by commas.
 * @param parameter name of the query parameter, for errors
 * @throws StatusError BadRequest (400) that names the parameter, the path and the rule
 */
export function parseFieldTree(parameter: string, text: string): FieldTree {
  const root = emptyTree();
  let count = 0;
  for (const path of pathsOf(parameter, text)) {
    count += 1;
    if (count > PATHS_MAX) throw badRequest(`${parameter}: has more than ${PATHS_MAX} paths; request fewer fields`);
    add(root, path);
  }
  return root;
}

/**
 * Parses one path that leads to one value.
 * @returns the member names
 * @throws StatusError BadRequest (400) that names the parameter, the path and the rule
 */
export function parseMemberPath(parameter: string, text: string): readonly string[] {
  const [path, further] = [...pathsOf(parameter, text)];
  if (path === undefined || further !== undefined) throw badRequest(`${parameter}: must be one path; see ${SYNTAX}`);
  return path.map((step) => {
    if ("member" in step) return step.member;
    throw refused(parameter, text, "[*] selects several values, and the path must lead to one");
  });
}

interface GrowingTree {
  whole: boolean;
  readonly members: Map<string, GrowingTree>;
  items: GrowingTree | undefined;
}

const emptyTree = (): GrowingTree => ({ whole: false, members: new Map(), items: undefined });

function add(root: GrowingTree, path: readonly Step[]): void {
  let at = root;
  for (const step of path) {
    if ("items" in step) {
      at.items ??= emptyTree();
      at = at.items;
    } else {
      let next = at.members.get(step.member);
      if (next === undefined) {
        next = emptyTree();
        at.members.set(step.member, next);
      }
      at = next;
    }
  }
  at.whole = true;
}

const SYNTAX = "the steps of a path: .name, ['name'] and [*]";
const NAME = /\.([A-Za-z0-9_$-]+)/y;
const QUOTED = /\['([^']+)'\]/y;
const ITEMS = /\[\*\]/y;
const SHOWN = 200;

function* pathsOf(parameter: string, text: string): Generator<readonly Step[]> {
  if (text === "") throw badRequest(`${parameter}: must name a field, such as .metadata.name`);
  let path: Step[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === "," && path.length > 0 && at + 1 < text.length) {
      yield path;
      path = [];
      at += 1;
      continue;
    }
    const { step, end } = stepAt(text, at) ?? { step: undefined, end: at };
    if (step === undefined) {
      const found = JSON.stringify(text.slice(at, at + 1));
      throw refused(parameter, text, `unexpected ${found} at position ${at}: use ${SYNTAX}`);
    }
    if (path.length === 0 && "items" in step)
      throw refused(parameter, text, "an object is not a list: begin with .name");
    path.push(step);
    if (path.length > STEPS_MAX) throw refused(parameter, text, `a path has at most ${STEPS_MAX} steps`);
    at = end;
  }
  yield path;
}

function stepAt(text: string, at: number): { readonly step: Step; readonly end: number } | undefined {
  for (const pattern of [NAME, QUOTED, ITEMS]) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found === null) continue;
    const [, member] = found;
    return { step: member === undefined ? { items: true } : { member }, end: pattern.lastIndex };
  }
  return undefined;
}

const refused = (parameter: string, text: string, rule: string): StatusError =>
  badRequest(`${parameter}: ${JSON.stringify(text.slice(0, SHOWN))}: ${rule}`);
