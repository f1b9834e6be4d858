// Finds the rules that contain each queried value: a right is covered when one rule contains all its values.
import type { PolicyRule } from "./policy";
import { isPattern, prefixOf } from "./rule";

/** A set of rules, one bit each. */
type Bits = Uint32Array;

/** The rules in any of these sets. */
export type Owners = readonly Bits[];

type Dimension = "verbs" | "groups" | "resources" | "names" | "urls";

const DIMENSIONS: Readonly<Record<Dimension, (rule: PolicyRule) => readonly string[]>> = {
  verbs: ({ verbs }) => verbs,
  groups: ({ apiGroups }) => apiGroups ?? [],
  resources: ({ resources }) => resources ?? [],
  names: ({ resourceNames }) => resourceNames ?? [],
  urls: ({ nonResourceURLs }) => nonResourceURLs ?? [],
};

const EACH_DIMENSION = Object.entries(DIMENSIONS) as [Dimension, (typeof DIMENSIONS)[Dimension]][];

/**
 * The index. Expected queries are added first, then the held rules. Generators yield undefined at every step, so that
 * the caller may yield.
 */
export class OwnerIndex {
  private readonly words: number;
  /** Sets by expected value; undefined until a rule contains the value. */
  private readonly sets: Readonly<Record<Dimension, Map<string, Bits | undefined>>> = {
    verbs: new Map(),
    groups: new Map(),
    resources: new Map(),
    names: new Map(),
    urls: new Map(),
  };
  /** Rules with an asterisk; for names, rules without names. */
  private readonly any: Readonly<Record<Dimension, Bits>>;
  private readonly urlPrefixes = new Map<string, Bits>();

  constructor(owners: number) {
    this.words = Math.ceil(owners / 32);
    const [verbs, groups, resources, names, urls] = [this.none(), this.none(), this.none(), this.none(), this.none()];
    this.any = { verbs, groups, resources, names, urls };
  }

  *expect(wanted: readonly PolicyRule[]): Generator<undefined> {
    for (const rule of wanted) {
      for (const [dimension, valuesOf] of EACH_DIMENSION) {
        for (const value of valuesOf(rule)) {
          this.sets[dimension].set(value, undefined);
          const part = dimension === "resources" ? ofAnyParent(value) : undefined;
          if (part !== undefined) this.sets.resources.set(part, undefined);
          yield;
        }
      }
    }
  }

  *fill(held: readonly PolicyRule[]): Generator<undefined> {
    for (const [owner, rule] of held.entries()) {
      for (const [dimension, valuesOf] of EACH_DIMENSION) {
        for (const value of valuesOf(rule)) {
          this.note(owner, dimension, value);
          yield;
        }
      }
      if (!rule.resourceNames?.length) mark(this.any.names, owner);
    }
  }

  private note(owner: number, dimension: Dimension, value: string): void {
    if (value === "*" && dimension !== "names") mark(this.any[dimension], owner);
    if (dimension === "urls" && isPattern(value)) this.markIn(this.urlPrefixes, prefixOf(value), owner);
    if (this.sets[dimension].has(value)) this.markIn(this.sets[dimension], value, owner);
  }

  private markIn(sets: Map<string, Bits | undefined>, value: string, owner: number): void {
    const bits = sets.get(value) ?? this.none();
    sets.set(value, bits);
    mark(bits, owner);
  }

  private none(): Bits {
    return new Uint32Array(this.words);
  }

  ofVerb(verb: string): Owners {
    return this.of("verbs", verb);
  }

  ofGroup(group: string): Owners {
    return this.of("groups", group);
  }

  ofResource(resource: string): Owners {
    const part = ofAnyParent(resource);
    const bits = part === undefined ? undefined : this.sets.resources.get(part);
    return bits === undefined ? this.of("resources", resource) : [...this.of("resources", resource), bits];
  }

  /** @param name undefined: every name */
  ofName(name: string | undefined): Owners {
    return name === undefined ? [this.any.names] : this.of("names", name);
  }

  *ofUrl(url: string): Generator<undefined, Owners> {
    const found = [...this.of("urls", url)];
    for (const [prefix, bits] of this.urlPrefixes) {
      if (url.startsWith(prefix)) found.push(bits);
      yield;
    }
    return found;
  }

  private of(dimension: Dimension, value: string): Owners {
    const exact = this.sets[dimension].get(value);
    return exact === undefined ? [this.any[dimension]] : [this.any[dimension], exact];
  }

  /** Returns whether one rule is among the owners of each. */
  haveCommon(each: readonly Owners[]): boolean {
    for (let word = 0; word < this.words; word += 1) {
      let common = -1;
      for (const owners of each) common &= unionWord(owners, word);
      if (common !== 0) return true;
    }
    return false;
  }

  /** Returns whether one held rule covers all resource rights of another rule, which is the usual case. */
  *coverWhole({ verbs, apiGroups, resources, resourceNames }: PolicyRule): Generator<undefined, boolean> {
    const left = this.none().fill(0xffffffff);
    const keep = (owners: Owners) => {
      for (let word = 0; word < this.words; word += 1) left[word] = (left[word] ?? 0) & unionWord(owners, word);
    };
    const names = resourceNames?.length ? resourceNames : [undefined];
    for (const verb of verbs) yield keep(this.ofVerb(verb)) as undefined;
    for (const group of apiGroups ?? []) yield keep(this.ofGroup(group)) as undefined;
    for (const resource of resources ?? []) yield keep(this.ofResource(resource)) as undefined;
    for (const name of names) yield keep(this.ofName(name)) as undefined;
    return left.some((word) => word !== 0);
  }
}

/** Returns the pattern of a subresource of every resource: for `pods/log`, `*` before `/log`. */
function ofAnyParent(resource: string): string | undefined {
  const slash = resource.indexOf("/");
  return slash < 0 ? undefined : `*${resource.slice(slash)}`;
}

function mark(bits: Bits, owner: number): void {
  bits[owner >>> 5] = (bits[owner >>> 5] ?? 0) | (1 << (owner & 31));
}

function unionWord(owners: Owners, word: number): number {
  let union = 0;
  for (const bits of owners) union |= bits[word] ?? 0;
  return union;
}
