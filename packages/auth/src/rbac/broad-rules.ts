// Index of rules that combine to many rights, queried for one right at a time. Each value has one bit per rule, so that
// a query costs a few words regardless of the length of the rules.
import type { Attributes } from "../authorization/authorizer";
import type { PolicyRule } from "./policy";
import { isPattern, prefixOf } from "./rule";
import { PREFIX_KEY_MAX } from "./rule-rights";

export class BroadRules {
  private readonly verbs: RuleBits;
  private readonly groups: RuleBits;
  private readonly resources: RuleBits;
  private readonly names: RuleBits;
  /** Rules without resource names. */
  private readonly unnamed: RuleBits;
  private readonly paths: RuleBits;
  /** Path prefixes. */
  private readonly prefixes: RuleBits;
  private readonly prefixLengths: readonly number[];
  /** Path prefixes that are too long for a lookup: by their beginning, with the rules that contain them. */
  private readonly longPrefixes = new Map<string, (readonly [prefix: string, rule: number])[]>();
  private readonly words: number;

  constructor(rules: readonly PolicyRule[]) {
    const words = (rules.length + 31) >>> 5;
    const of = (valuesOf: (rule: PolicyRule) => readonly string[] | null | undefined) =>
      new RuleBits(rules.map(valuesOf), words);
    this.words = words;
    this.verbs = of(({ verbs }) => verbs);
    this.groups = of(({ apiGroups }) => apiGroups);
    this.resources = of(({ resources }) => resources);
    this.names = of(({ resourceNames }) => resourceNames);
    this.unnamed = of(({ resourceNames }) => (resourceNames?.length ? [] : [UNNAMED]));
    this.paths = of(({ nonResourceURLs }) => nonResourceURLs?.filter((url) => !isPattern(url)));
    const prefixes = rules.map(({ nonResourceURLs }) => nonResourceURLs?.filter(isPattern).map(prefixOf) ?? []);
    const isShort = (prefix: string) => prefix.length <= PREFIX_KEY_MAX;
    this.prefixes = new RuleBits(
      prefixes.map((each) => each.filter(isShort)),
      words,
    );
    this.prefixLengths = [
      ...new Set(
        prefixes
          .flat()
          .filter(isShort)
          .map((prefix) => prefix.length),
      ),
    ];
    for (const [rule, each] of prefixes.entries()) {
      for (const prefix of each) if (!isShort(prefix)) this.addLong(prefix, rule);
    }
  }

  private addLong(prefix: string, rule: number): void {
    const start = prefix.slice(0, PREFIX_KEY_MAX);
    const known = this.longPrefixes.get(start) ?? [];
    this.longPrefixes.set(start, known);
    known.push([prefix, rule]);
  }

  allow(asked: Attributes): boolean {
    return asked.kind === "resource" ? this.allowResource(asked) : this.allowPath(asked.verb, asked.path);
  }

  private allowResource(asked: Extract<Attributes, { kind: "resource" }>): boolean {
    const { verbs, groups, resources, names, unnamed } = this;
    const { verb, apiGroup, resource, subresource, name } = asked;
    const full = subresource === "" ? resource : `${resource}/${subresource}`;
    const verbRows = [verbs.row(verb), verbs.row("*")] as const;
    const groupRows = [groups.row(apiGroup), groups.row("*")] as const;
    const anyParent = subresource === "" ? NO_ROW : resources.row(`*/${subresource}`);
    const resourceRows = [resources.row(full), resources.row("*"), anyParent] as const;
    const [named, anyName] = [names.row(name), unnamed.row(UNNAMED)];
    for (let word = 0; word < this.words; word += 1) {
      const common =
        (verbs.word(verbRows[0], word) | verbs.word(verbRows[1], word)) &
        (groups.word(groupRows[0], word) | groups.word(groupRows[1], word)) &
        (resources.word(resourceRows[0], word) |
          resources.word(resourceRows[1], word) |
          resources.word(resourceRows[2], word)) &
        (names.word(named, word) | unnamed.word(anyName, word));
      if (common !== 0) return true;
    }
    return false;
  }

  private allowPath(verb: string, path: string): boolean {
    const { verbs, paths, prefixes } = this;
    const ofVerb = [verbs.row(verb), verbs.row("*")] as const;
    if (this.haveCommon(ofVerb, paths, paths.row(path))) return true;
    for (const length of this.prefixLengths) {
      if (length > path.length) continue;
      if (this.haveCommon(ofVerb, prefixes, prefixes.row(path.slice(0, length)))) return true;
    }
    for (const [prefix, rule] of this.longPrefixes.get(path.slice(0, PREFIX_KEY_MAX)) ?? []) {
      if (path.startsWith(prefix) && (verbs.has(ofVerb[0], rule) || verbs.has(ofVerb[1], rule))) return true;
    }
    return false;
  }

  private haveCommon([one, other]: readonly [number, number], of: RuleBits, row: number): boolean {
    if (row === NO_ROW) return false;
    const { verbs, words } = this;
    for (let word = 0; word < words; word += 1) {
      if (((verbs.word(one, word) | verbs.word(other, word)) & of.word(row, word)) !== 0) return true;
    }
    return false;
  }
}

const UNNAMED = "";
const NO_ROW = -1;

/** The rules that name each value: a row of bits per value, all rows in one buffer. */
class RuleBits {
  private readonly rows = new Map<string, number>();
  private readonly bits: Uint32Array;

  constructor(
    valuesByRule: readonly (readonly string[] | null | undefined)[],
    private readonly words: number,
  ) {
    for (const values of valuesByRule) {
      for (const value of values ?? []) if (!this.rows.has(value)) this.rows.set(value, this.rows.size);
    }
    this.bits = new Uint32Array(this.rows.size * words);
    for (const [rule, values] of valuesByRule.entries()) {
      for (const value of values ?? []) {
        const at = this.row(value) * words + (rule >>> 5);
        this.bits[at] = (this.bits[at] ?? 0) | (1 << (rule & 31));
      }
    }
  }

  /** @returns NO_ROW when no rule names the value */
  row(value: string): number {
    return this.rows.get(value) ?? NO_ROW;
  }

  word(row: number, word: number): number {
    return row === NO_ROW ? 0 : (this.bits[row * this.words + word] ?? 0);
  }

  has(row: number, rule: number): boolean {
    return (this.word(row, rule >>> 5) & (1 << (rule & 31))) !== 0;
  }
}
