import { useEffect, useState } from "preact/hooks";
import { qualifiedName, type Resource } from "../discovery/resource";
import { asFailure } from "../requests/failure";
import { eachInTurn } from "../values/each-in-turn";
import { countObjects } from "./count-objects";

/** The number of objects, or why there is none: the user may not list them, or the request failed. */
export type Count = number | "forbidden" | "failed";

const AT_A_TIME = 6;

/** Counts the objects of resources, a few at a time. A resource that is not in the result is not counted yet. */
export function useCounts(resources: readonly Resource[], namespace: string): ReadonlyMap<string, Count> {
  const [counts, setCounts] = useState<ReadonlyMap<string, Count>>(new Map());
  useEffect(() => {
    const ending = new AbortController();
    const found = new Map<string, Count>();
    setCounts(new Map());
    let frame = 0;
    const show = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setCounts(new Map(found));
      });
    };
    const listed = resources.filter((each) => each.verbs.includes("list"));
    eachInTurn(listed, AT_A_TIME, async (resource) => {
      if (ending.signal.aborted) return;
      try {
        found.set(qualifiedName(resource), await countObjects(resource, namespace, ending.signal));
      } catch (error) {
        found.set(qualifiedName(resource), asFailure(error).code === 403 ? "forbidden" : "failed");
      }
      if (!ending.signal.aborted) show();
    });
    return () => {
      ending.abort();
      cancelAnimationFrame(frame);
    };
  }, [resources, namespace]);
  return counts;
}
