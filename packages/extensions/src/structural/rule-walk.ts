// Takes the rules of a schema to the values that they are about, and each value to what it was before.
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { LeadingNodes } from "./leading-nodes";
import { keyText } from "./meaning";
import type { PlaceRules, RuleBudget, RuleLanguage } from "./place-rules";
import { additionalOf, itemsOf, type Markers, namesOf, propertyOf, saysTrue } from "./schema-node";
import type { Walk } from "./walk";

/** The places of a schema that have rules, and those that lead to them. */
export class RuleTree {
  private readonly node: JsonObject;
  private readonly markers: Markers;
  /** The nodes of the whole schema that have rules, or lead to some. */
  private readonly leading: LeadingNodes;
  private readonly isResource: boolean;
  private readonly made = new Map<string, RuleTree>();
  /** Of the items of a list, where they tell which is which. */
  private readonly keys: readonly string[] | undefined;
  private compiled: PlaceRules | "none" | "not yet";

  /** @returns undefined where no rule is in a schema */
  static of(root: JsonObject, markers: Markers, leading = leadingToRules(markers)): RuleTree | undefined {
    return leading.has(root) ? new RuleTree(root, { markers, leading, isRoot: true }) : undefined;
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

  /** @param step from the node to one below it */
  private below(step: string, node: JsonObject | undefined): RuleTree | undefined {
    if (node === undefined || !this.leading.has(node)) return undefined;
    let tree = this.made.get(step);
    if (tree === undefined) {
      tree = new RuleTree(node, { markers: this.markers, leading: this.leading, isRoot: false });
      this.made.set(step, tree);
    }
    return tree;
  }

  /** @param of who compiles the rules, and what they may spend */
  check(
    self: JsonValue,
    old: JsonValue | undefined,
    walk: Walk,
    of: { readonly language: RuleLanguage; readonly budget: RuleBudget },
  ): void {
    if (self === null || !walk.spend(1) || walk.isDone) return;
    const rules = this.rules(of.language);
    if (rules !== undefined) {
      for (const error of rules.errors(self, old, () => walk.path(), of.budget)) walk.add(error);
    }
    const step = (name: string | number, tree: RuleTree, value: JsonValue, before: JsonValue | undefined): void => {
      walk.enter(name);
      tree.check(value, before, walk, of);
      walk.leave();
    };
    if (Array.isArray(self)) {
      const { items } = this;
      if (items === undefined) return;
      const oldItems = this.keys !== undefined && Array.isArray(old) ? byKeys(old, this.keys) : undefined;
      for (let at = 0; at < self.length && !walk.isDone; at++) {
        const item = self[at] as JsonValue;
        const before = oldItems && isObject(item) ? oldItems.get(keyText(item, this.keys ?? [])) : undefined;
        step(at, items, item, before);
      }
      return;
    }
    if (!isObject(self)) return;
    for (const name of Object.keys(self)) {
      const tree = this.member(name);
      if (tree === undefined) continue;
      step(name, tree, self[name] as JsonValue, isObject(old) ? memberOf<JsonValue>(old, name) : undefined);
      if (walk.isDone) return;
    }
  }

  private rules(language: RuleLanguage): PlaceRules | undefined {
    if (this.compiled === "not yet") {
      this.compiled = language.compile(this.node, { isResource: this.isResource }) ?? "none";
    }
    return this.compiled === "none" ? undefined : this.compiled;
  }
}

/** Which nodes of a schema have rules, or lead to some. */
export const leadingToRules = (markers: Markers): LeadingNodes =>
  new LeadingNodes((node) => hasRules(node, markers.validations));

const hasRules = (node: JsonObject, marker: string): boolean => {
  const rules = node[marker];
  return Array.isArray(rules) && rules.length > 0;
};

const byKeys = (items: JsonArray, keys: readonly string[]): ReadonlyMap<string, JsonValue> =>
  new Map(items.filter(isObject).map((item) => [keyText(item, keys), item]));
