// Rules that combine to many rights, asked one by one for one right: a bit a rule for each value that they name, so that the answer costs
// a few words however long they are.
import type { Attributes } from "../authorizer";
import type { PolicyRule } from "./policy";
import { urlMatches } from "./rule";

type Bits = Uint32Array;

export class BroadRules {
  private readonly words: number;
  private readonly verbs = new Map<string, Bits>();
  private readonly groups = new Map<string, Bits>();
  private readonly resources = new Map<string, Bits>();
  private readonly names = new Map<string, Bits>();
  /** Rules that name no object. */
  private readonly unnamed: Bits;
  private readonly ofUrls: readonly PolicyRule[];

  constructor(rules: readonly PolicyRule[]) {
    this.words = (rules.length + 31) >>> 5;
    this.unnamed = new Uint32Array(this.words);
    for (const [at, { verbs, apiGroups, resources, resourceNames }] of rules.entries()) {
      this.mark(this.verbs, verbs, at);
      this.mark(this.groups, apiGroups, at);
      this.mark(this.resources, resources, at);
      this.mark(this.names, resourceNames, at);
      if (!resourceNames?.length) set(this.unnamed, at);
    }
    this.ofUrls = rules.filter(({ nonResourceURLs }) => (nonResourceURLs?.length ?? 0) > 0);
  }

  allow(asked: Attributes): boolean {
    if (asked.kind === "nonResource") {
      const { verb, path } = asked;
      return this.ofUrls.some(
        ({ verbs, nonResourceURLs }) =>
          (verbs.includes(verb) || verbs.includes("*")) && urlMatches(nonResourceURLs, path),
      );
    }
    const { verb, apiGroup, resource, subresource, name } = asked;
    const full = subresource === "" ? resource : `${resource}/${subresource}`;
    const [verbs, anyVerb] = [this.verbs.get(verb), this.verbs.get("*")];
    const [groups, anyGroup] = [this.groups.get(apiGroup), this.groups.get("*")];
    const [resources, anyResource] = [this.resources.get(full), this.resources.get("*")];
    const anyParent = subresource === "" ? undefined : this.resources.get(`*/${subresource}`);
    const names = this.names.get(name);
    for (let word = 0; word < this.words; word += 1) {
      const common =
        (at(verbs, word) | at(anyVerb, word)) &
        (at(groups, word) | at(anyGroup, word)) &
        (at(resources, word) | at(anyResource, word) | at(anyParent, word)) &
        (at(names, word) | at(this.unnamed, word));
      if (common !== 0) return true;
    }
    return false;
  }

  private mark(of: Map<string, Bits>, values: readonly string[] | null | undefined, rule: number): void {
    for (const value of values ?? []) {
      let bits = of.get(value);
      if (bits === undefined) {
        bits = new Uint32Array(this.words);
        of.set(value, bits);
      }
      set(bits, rule);
    }
  }
}

const at = (bits: Bits | undefined, word: number): number => bits?.[word] ?? 0;

function set(bits: Bits, rule: number): void {
  bits[rule >>> 5] = (bits[rule >>> 5] ?? 0) | (1 << (rule & 31));
}
