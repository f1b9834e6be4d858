// The objects that a field selector selects, kept current by a watch. For lists of a few objects.
import { useCallback, useEffect, useState } from "preact/hooks";
import { collectionPath, type Resource } from "../discovery/resource";
import { mayPass } from "../requests/api";
import { asFailure, type Failure } from "../requests/failure";
import { itemsOf } from "../requests/lists";
import type { ApiObject } from "../values/api-object";
import { follow } from "./follow";
import { Pauses, pauseAfter } from "./pause";

export interface LiveList<T> {
  readonly items?: readonly T[];
  readonly failure?: Failure | undefined;
  readonly reload: () => void;
}

/** Objects that are kept. */
const MOST = 1000;

export function useList<T extends ApiObject>(
  resource: Resource,
  namespace: string | undefined,
  fieldSelector: string,
): LiveList<T> {
  const [state, setState] = useState<Omit<LiveList<T>, "reload">>({});
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const pauses = new Pauses();
    const known = new Map<string, T>();
    let unfollow = (): void => undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const show = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        setState({ items: [...known.values()] });
      });
    };
    const load = async (): Promise<void> => {
      try {
        const path = collectionPath(resource, namespace);
        const { items, resourceVersion } = await itemsOf<T>(path, { query: { fieldSelector }, signal, max: MOST });
        known.clear();
        for (const item of items) known.set(keyOf(item), item);
        show();
        watch(resourceVersion);
      } catch (error) {
        if (signal.aborted) return;
        const failure = asFailure(error);
        setState((before) => ({ ...before, failure }));
        if (mayPass(error)) timer = setTimeout(load, pauses.take(Math.random(), pauseAfter(failure)));
      }
    };
    const watch = (resourceVersion: string): void => {
      const place = namespace === undefined ? {} : { namespace };
      unfollow = follow(
        { resource, ...place, fieldSelector, resourceVersion },
        {
          change: (type, object) => {
            const item = object as T;
            if (type === "DELETED") known.delete(keyOf(item));
            else if (known.size < MOST || known.has(keyOf(item))) known.set(keyOf(item), item);
            show();
          },
          lost: load,
          // The list stays; its page tells of the connection already.
          connection: () => undefined,
        },
      );
    };
    load();
    return () => {
      ending.abort();
      unfollow();
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [resource, namespace, fieldSelector, round]);
  return { ...state, reload };
}

const keyOf = ({ metadata: { uid, namespace, name } }: ApiObject): string => uid ?? `${namespace}/${name}`;
