// Applies the validation rules of a schema to the values they belong to, each with its previous value.
import { field } from "@orch/machinery";
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { LeadingNodes } from "./leading-nodes";
import { keyText } from "./meaning";
import type { PlaceRules, RuleBudget, RuleLanguage, RuleQuestion } from "./place-rules";
import { additionalOf, itemsOf, type Markers, namesOf, propertyOf, saysTrue } from "./schema-node";
import type { UnchangedValues } from "./unchanged-values";
import type { Walk } from "./walk";

/** A value and its old value, when it can be correlated. */
interface Pair {
  readonly self: JsonValue;
  readonly old: JsonValue | undefined;
}

interface Correlated extends Pair {
  readonly node: JsonObject;
  readonly old: JsonValue;
}

/** The language and the budget of an object. */
export interface RuleRun {
  readonly language: RuleLanguage;
  readonly budget: RuleBudget;
  /** Set for an update whose unchanged values are exempt from rules. */
  readonly ratchet?: { readonly unchanged: UnchangedValues; readonly warn: ((text: string) => void) | undefined };
}

/** Schema nodes with rules, and the nodes that lead to them. */
export class RuleTree {
  private readonly node: JsonObject;
  private readonly markers: Markers;
  /** Nodes of the whole schema that have rules or lead to rules. */
  private readonly leading: LeadingNodes;
  private readonly isResource: boolean;
  private readonly made = new Map<string, RuleTree>();
  /** Keys of the items of a list of type map. */
  private readonly keys: readonly string[] | undefined;
  private compiled: PlaceRules | "none" | "not yet";

  /** Returns the tree of a schema. @returns undefined for a schema without rules */
  static of(
    root: JsonObject,
    markers: Markers,
    {
      leading = nodesWithRules(markers),
      isRoot = true,
    }: { readonly leading?: LeadingNodes; readonly isRoot?: boolean } = {},
  ): RuleTree | undefined {
    return leading.has(root) ? new RuleTree(root, { markers, leading, isRoot }) : undefined;
  }

  private constructor(
    node: JsonObject,
    of: { readonly markers: Markers; readonly leading: LeadingNodes; readonly isRoot: boolean },
  ) {
    this.node = node;
    this.markers = of.markers;
    this.leading = of.leading;
    this.isResource = of.isRoot || saysTrue(node, of.markers.embeddedResource);
    this.keys = node[of.markers.listType] === "map" ? namesOf(node, of.markers.listMapKeys) : undefined;
    this.compiled = hasRules(node, of.markers.validations) ? "not yet" : "none";
  }

  private get items(): RuleTree | undefined {
    return this.below("items", itemsOf(this.node));
  }

  private member(name: string): RuleTree | undefined {
    const property = propertyOf(this.node, name);
    return property === undefined
      ? this.below("additionalProperties", additionalOf(this.node))
      : this.below(`properties.${name}`, property);
  }

  /** Returns the tree below a node. @param step name of the child */
  private below(step: string, node: JsonObject | undefined): RuleTree | undefined {
    if (node === undefined || !this.leading.has(node)) return undefined;
    let tree = this.made.get(step);
    if (tree === undefined) {
      tree = new RuleTree(node, { markers: this.markers, leading: this.leading, isRoot: false });
      this.made.set(step, tree);
    }
    return tree;
  }

  /**
   * Evaluates the rules of a value and of everything below it.
   * @param nearest the value itself or the nearest value around it that has an old value: while that is unchanged, the
   * rules are ratcheted
   */
  check({ self, old }: Pair, walk: Walk, of: RuleRun, nearest = this.correlated(self, old)): void {
    if (self === null || !walk.spend(1) || walk.isDone) return;
    const rules = this.rules(of.language);
    if (rules !== undefined) {
      const ratchet = of.ratchet && nearest && ratchetOf(of.ratchet, nearest);
      const question = { self, old, path: () => walk.path(), ...(ratchet && { ratchet }) };
      for (const error of rules.errors(question, of.budget)) walk.add(error);
    }
    const step = (name: string | number | { readonly key: string }, tree: RuleTree, pair: Pair): void => {
      walk.enter(name);
      tree.check(pair, walk, of, tree.correlated(pair.self, pair.old) ?? nearest);
      walk.leave();
    };
    if (Array.isArray(self)) {
      const { items } = this;
      if (items === undefined) return;
      const oldItems = this.keys !== undefined && Array.isArray(old) ? byKeys(old, this.keys) : undefined;
      for (let at = 0; at < self.length && !walk.isDone; at++) {
        const item = self[at] as JsonValue;
        const before = oldItems && isObject(item) ? oldItems.get(keyText(item, this.keys ?? [])) : undefined;
        step(at, items, { self: item, old: before });
      }
      return;
    }
    if (!isObject(self)) return;
    for (const name of Object.keys(self)) {
      const tree = this.member(name);
      if (tree === undefined) continue;
      const before = isObject(old) ? memberOf<JsonValue>(old, name) : undefined;
      const at = propertyOf(this.node, name) === undefined ? { key: name } : name;
      step(at, tree, { self: self[name] as JsonValue, old: before });
      if (walk.isDone) return;
    }
  }

  private correlated(self: JsonValue, old: JsonValue | undefined): Correlated | undefined {
    return old === undefined ? undefined : { node: this.node, self, old };
  }

  private rules(language: RuleLanguage): PlaceRules | undefined {
    if (this.compiled === "not yet") {
      this.compiled = language.compile(this.node, { isResource: this.isResource }) ?? "none";
    }
    return this.compiled === "none" ? undefined : this.compiled;
  }
}

function ratchetOf(
  { unchanged, warn }: NonNullable<RuleRun["ratchet"]>,
  { node, self, old }: Correlated,
): NonNullable<RuleQuestion["ratchet"]> {
  return {
    isUnchanged: () => unchanged.has(node, self, old),
    tolerated: (error) => warn?.(field.fieldErrorText(error)),
  };
}

/** Returns the nodes that have rules or lead to rules. */
export const nodesWithRules = (markers: Markers): LeadingNodes =>
  new LeadingNodes((node) => hasRules(node, markers.validations));

const hasRules = (node: JsonObject, marker: string): boolean => {
  const rules = node[marker];
  return Array.isArray(rules) && rules.length > 0;
};

const byKeys = (items: JsonArray, keys: readonly string[]): ReadonlyMap<string, JsonValue> =>
  new Map(items.filter(isObject).map((item) => [keyText(item, keys), item]));
