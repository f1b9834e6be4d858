// Suggestion for a mistyped resource: the name with the fewest edits.
import type { DiscoveredResource } from "@orch/client";
import { editsBetween } from "@orch/machinery";

/** Maximum length of a name that is compared. */
const LENGTH_MAX = 64;

/** Returns the name of a resource that differs in few letters; undefined when none is likely. */
export function likelyName(name: string, resources: readonly DiscoveredResource[]): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const wanted = name.toLowerCase();
  const most = wanted.length <= 4 ? 1 : 2;
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const { resource, singular, shortNames } of resources) {
    for (const each of [resource, singular, ...shortNames]) {
      if (Math.abs(each.length - wanted.length) > most) continue;
      const edits = editsBetween(wanted, each);
      if (edits <= most && (best === undefined || edits < best.edits)) best = { name: each, edits };
    }
  }
  return best?.name;
}
