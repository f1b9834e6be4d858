// Compiles label requirements so that matching an object costs time proportional to its labels, regardless of the
// number of requirements.

export type Labels = Readonly<Record<string, string>>;

export type LabelTest = (labels: Labels) => boolean;

/** Returns a test whether labels meet all requirements. */
export function labelMatcher(requirements: readonly LabelRequirement[]): LabelTest {
  const conditions = new Map<string, KeyCondition>();
  for (const requirement of requirements) {
    let condition = conditions.get(requirement.key);
    if (condition === undefined) {
      condition = new KeyCondition();
      conditions.set(requirement.key, condition);
    }
    condition.add(requirement);
  }
  const tests = [...conditions].map(([key, condition]) => ({ key, test: condition.test() }));
  return tests.length <= FEW ? eachAsked(tests) : eachGiven(tests);
}

/** Tests a label's value; undefined when the label is absent. */
type ValueTest = (value: string | undefined) => boolean;

interface KeyTest {
  readonly key: string;
  readonly test: ValueTest;
}

/** Maximum number of keys for which look-ups are faster than iterating over an object's labels. */
const FEW = 8;

function eachAsked(tests: readonly KeyTest[]): LabelTest {
  const [first, second] = tests;
  if (first === undefined) return () => true;
  if (second === undefined) return (labels) => first.test(labelValue(labels, first.key));
  return (labels) => {
    for (const { key, test } of tests) if (!test(labelValue(labels, key))) return false;
    return true;
  };
}

function eachGiven(tests: readonly KeyTest[]): LabelTest {
  const byKey = new Map<string, { readonly test: ValueTest; readonly isNeeded: boolean }>();
  let needed = 0;
  for (const { key, test } of tests) {
    const isNeeded = !test(undefined);
    if (isNeeded) needed += 1;
    byKey.set(key, { test, isNeeded });
  }
  return (labels) => {
    let found = 0;
    for (const key in labels) {
      const asked = byKey.get(key);
      if (asked === undefined) continue;
      if (!asked.test(labels[key])) return false;
      if (asked.isNeeded) found += 1;
    }
    return found === needed;
  };
}

/** Returns a label's value. Labels may come from JSON.parse; a key inherited from the prototype has no string value. */
function labelValue(labels: Labels, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === "string" ? value : undefined;
}

/** All requirements on one label. */
class KeyCondition {
  private exists = false;
  private absent = false;
  private among: ReadonlySet<string> | undefined;
  private none: Set<string> | undefined;
  private above: bigint | undefined;
  private below: bigint | undefined;

  add(requirement: LabelRequirement): void {
    switch (requirement.operator) {
      case "exists":
        this.exists = true;
        break;
      case "!":
        this.absent = true;
        break;
      case "=":
      case "==":
        this.narrow([requirement.value]);
        break;
      case "in":
        this.narrow(requirement.values);
        break;
      case "!=":
        this.exclude([requirement.value]);
        break;
      case "notin":
        this.exclude(requirement.values);
        break;
      case ">":
        this.above = larger(this.above, BigInt(requirement.value));
        break;
      case "<":
        this.below = smaller(this.below, BigInt(requirement.value));
        break;
    }
  }

  private narrow(values: readonly string[]): void {
    const before = this.among;
    this.among = new Set(before === undefined ? values : values.filter((value) => before.has(value)));
  }

  private exclude(values: readonly string[]): void {
    this.none ??= new Set();
    for (const value of values) this.none.add(value);
  }

  test(): ValueTest {
    const isNeeded = this.exists || this.among !== undefined || this.above !== undefined || this.below !== undefined;
    if (this.absent) return isNeeded ? () => false : (value) => value === undefined;
    const tests = this.ofValues();
    const [only] = tests;
    if (only === undefined) return isNeeded ? (value) => value !== undefined : () => true;
    if (tests.length === 1) return (value) => (value === undefined ? !isNeeded : only(value));
    return (value) => (value === undefined ? !isNeeded : tests.every((test) => test(value)));
  }

  private ofValues(): ((value: string) => boolean)[] {
    const tests: ((value: string) => boolean)[] = [];
    const [among, none, above, below] = [this.among, this.none, this.above, this.below];
    if (among !== undefined) tests.push(memberOfAny(among));
    if (none !== undefined && none.size > 0) {
      const isOne = memberOfAny(none);
      tests.push((value) => !isOne(value));
    }
    if (above !== undefined) tests.push((value) => isInteger(value) && BigInt(value) > above);
    if (below !== undefined) tests.push((value) => isInteger(value) && BigInt(value) < below);
    return tests;
  }
}

function memberOfAny(values: ReadonlySet<string>): (value: string) => boolean {
  if (values.size > 1) return (value) => values.has(value);
  const [only] = values;
  return (value) => value === only;
}

const larger = (one: bigint | undefined, other: bigint): bigint => (one === undefined || other > one ? other : one);
const smaller = (one: bigint | undefined, other: bigint): bigint => (one === undefined || other < one ? other : one);

/** A requirement on one label: the common form of both notations of a label selector. */
export type LabelRequirement =
  | { readonly operator: "exists" | "!"; readonly key: string }
  | { readonly operator: "=" | "==" | "!=" | ">" | "<"; readonly key: string; readonly value: string }
  | { readonly operator: "in" | "notin"; readonly key: string; readonly values: readonly string[] };

/** Reports whether a text can be compared by `>` and `<`: a decimal 64-bit integer without a sign. */
export function isInteger(text: string): boolean {
  return /^\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

export const sortedSet = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();
