// Takes the rules of a schema to the values that they are about, and each value to what it was before.
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf } from "@orch/schema";
import { keyText } from "./meaning";
import type { PlaceRules, RuleBudget, RuleLanguage } from "./place-rules";
import { additionalOf, itemsOf, type Markers, namesOf, propertiesOf, saysTrue } from "./schema-node";
import type { Walk } from "./walk";

/** The places of a schema that have rules, and those that lead to them. */
export class RuleTree {
  private readonly node: JsonObject;
  private readonly isResource: boolean;
  private readonly properties: ReadonlyMap<string, RuleTree>;
  private readonly items: RuleTree | undefined;
  private readonly additional: RuleTree | undefined;
  /** Of the items of a list, where they tell which is which. */
  private readonly keys: readonly string[] | undefined;
  private compiled: PlaceRules | "none" | "not yet";

  /** @returns undefined where no rule is in a schema */
  static of(node: JsonObject, markers: Markers, isRoot = true): RuleTree | undefined {
    const tree = new RuleTree(node, markers, isRoot);
    return tree.isEmpty ? undefined : tree;
  }

  private constructor(node: JsonObject, markers: Markers, isRoot: boolean) {
    this.node = node;
    this.isResource = isRoot || saysTrue(node, markers.embeddedResource);
    const properties = new Map<string, RuleTree>();
    for (const [name, child] of propertiesOf(node)) {
      const tree = RuleTree.of(child, markers, false);
      if (tree !== undefined) properties.set(name, tree);
    }
    this.properties = properties;
    const below = (child: JsonObject | undefined) =>
      child === undefined ? undefined : RuleTree.of(child, markers, false);
    this.items = below(itemsOf(node));
    this.additional = below(additionalOf(node));
    this.keys = node[markers.listType] === "map" ? namesOf(node, markers.listMapKeys) : undefined;
    const own = node[markers.validations];
    this.compiled = Array.isArray(own) && own.length > 0 ? "not yet" : "none";
  }

  private get isEmpty(): boolean {
    const below = this.items ?? this.additional;
    return this.compiled === "none" && below === undefined && this.properties.size === 0;
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
      if (this.items === undefined) return;
      const oldItems = this.keys !== undefined && Array.isArray(old) ? byKeys(old, this.keys) : undefined;
      for (let at = 0; at < self.length && !walk.isDone; at++) {
        const item = self[at] as JsonValue;
        const before = oldItems && isObject(item) ? oldItems.get(keyText(item, this.keys ?? [])) : undefined;
        step(at, this.items, item, before);
      }
      return;
    }
    if (!isObject(self) || (this.properties.size === 0 && this.additional === undefined)) return;
    for (const name of Object.keys(self)) {
      const tree = this.properties.get(name) ?? this.additional;
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

const byKeys = (items: JsonArray, keys: readonly string[]): ReadonlyMap<string, JsonValue> =>
  new Map(items.filter(isObject).map((item) => [keyText(item, keys), item]));
