import { useEffect, useState } from "preact/hooks";
import { eachInTurn } from "../values/each-in-turn";
import { type RulesAnswer, reviewRules } from "./reviews";

const AT_A_TIME = 4;

/** Asks for the rules in namespaces, a few at a time. A namespace that is not in the result has no answer yet. */
export function useRules(namespaces: readonly string[]): ReadonlyMap<string, RulesAnswer | "failed"> {
  const [known, setKnown] = useState<ReadonlyMap<string, RulesAnswer | "failed">>(new Map());
  useEffect(() => {
    const ending = new AbortController();
    eachInTurn(
      namespaces.filter((each) => !known.has(each)),
      AT_A_TIME,
      async (namespace) => {
        if (ending.signal.aborted) return;
        const answer = await reviewRules(namespace, ending.signal).catch(() => "failed" as const);
        if (!ending.signal.aborted) setKnown((before) => new Map(before).set(namespace, answer));
      },
    );
    return () => ending.abort();
  }, [namespaces.join(" ")]);
  return known;
}
