// Indexing of the rules of one role: right by right when they combine to few rights, else only by resource or path, so
// that the size of the index is proportional to the length of the role and not to the product of its lists.
import type { PolicyRule } from "./policy";
import { isPattern, prefixOf } from "./rule";

/** Maximum number of rights of one rule, and of all rules of one role. */
const RIGHTS_OF_RULE_MAX = 512;
const RIGHTS_OF_ROLE_MAX = 2048;
/**
 * Maximum number of resources and paths under which a role's broad rules are indexed. Roles with more are checked for
 * every request.
 */
const BROAD_KEYS_MAX = 1024;
/** Maximum length of a pattern's prefix for a lookup; longer ones are compared. */
export const PREFIX_KEY_MAX = 64;

export interface RightVisitor {
  /** One right: `[resource, group, verb]`, with a fourth element for one name. The array is reused. */
  resource(keys: readonly string[]): void;
  /** A rule that combines to many rights has some right on this resource. */
  broadResource(resource: string): void;
  /** One verb on one path, or on all paths with the prefix. The array is reused. */
  url(keys: readonly [key: string, verb: string], isPrefix: boolean): void;
  broadUrl(key: string, isPrefix: boolean): void;
  /** Replaces all broad entries of the role. */
  sweeping(): void;
}

/**
 * Visits the rights of the rules; the result is the same for equal rules.
 * @returns the rules that were indexed as broad
 */
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
