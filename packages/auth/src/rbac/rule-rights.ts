// How the rules of one role are filed: right by right where they combine to few, else by what they speak of alone, so that a role takes
// room in proportion to its length and not to the product of its lists.
import type { PolicyRule } from "./policy";
import { isPattern, prefixOf } from "./rule";

/** Of one rule, and of all rules of one role. */
const RIGHTS_OF_RULE_MAX = 512;
const RIGHTS_OF_ROLE_MAX = 2048;
/** Of what the rules of a role speak of that are not filed right by right; of one that speaks of more, all of it is asked every time. */
const BROAD_KEYS_MAX = 1024;
/** Patterns are found by what stands before their asterisk, up to this length; longer ones are compared. */
export const PREFIX_KEY_MAX = 64;

export interface RightVisitor {
  /** One right: `[resource, group, verb]`, with a fourth for one name. The array is reused. */
  resource(keys: readonly string[]): void;
  /** Of a rule that combines to many: something of this resource. */
  broadResource(resource: string): void;
  /** One verb on one path, or on all that begin so. The array is reused. */
  url(keys: readonly [key: string, verb: string], isPrefix: boolean): void;
  broadUrl(key: string, isPrefix: boolean): void;
  /** In place of everything broad. */
  sweeping(): void;
}

/** The same for the same rules, every time. @returns the rules that were filed as broad */
export function visitRights(rules: readonly PolicyRule[], visitor: RightVisitor): PolicyRule[] {
  const broad: PolicyRule[] = [];
  let room = RIGHTS_OF_ROLE_MAX;
  for (const rule of rules) {
    const count = rightsOf(rule);
    if (count === 0) continue;
    if (count <= RIGHTS_OF_RULE_MAX && count <= room && !hasLongPattern(rule)) {
      room -= count;
      visitEach(rule, visitor);
    } else {
      broad.push(rule);
    }
  }
  visitBroad(broad, visitor);
  return broad;
}

function visitBroad(rules: readonly PolicyRule[], visitor: RightVisitor): void {
  const keys = rules.reduce(
    (sum, { resources, nonResourceURLs }) => sum + (resources?.length ?? 0) + (nonResourceURLs?.length ?? 0),
    0,
  );
  if (keys > BROAD_KEYS_MAX) {
    visitor.sweeping();
    return;
  }
  for (const { resources, nonResourceURLs } of rules) {
    for (const resource of resources ?? []) visitor.broadResource(resource);
    for (const url of nonResourceURLs ?? []) visitor.broadUrl(keyOfUrl(url), isPattern(url));
  }
}

function rightsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): number {
  const places = (apiGroups?.length ?? 0) * (resources?.length ?? 0) * (resourceNames?.length || 1);
  return (verbs?.length ?? 0) * (places + (nonResourceURLs?.length ?? 0));
}

function visitEach({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule, visitor: RightVisitor) {
  const named = resourceNames != null && resourceNames.length > 0;
  for (const verb of verbs) {
    for (const group of apiGroups ?? []) {
      for (const resource of resources ?? []) {
        if (!named) visitor.resource([resource, group, verb]);
        else for (const name of resourceNames) visitor.resource([resource, group, verb, name]);
      }
    }
    for (const url of nonResourceURLs ?? []) visitor.url([keyOfUrl(url), verb], isPattern(url));
  }
}

const hasLongPattern = ({ nonResourceURLs }: PolicyRule): boolean =>
  nonResourceURLs?.some((url) => isPattern(url) && prefixOf(url).length > PREFIX_KEY_MAX) ?? false;

const keyOfUrl = (url: string): string => (isPattern(url) ? prefixOf(url).slice(0, PREFIX_KEY_MAX) : url);
