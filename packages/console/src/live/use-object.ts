// One object, kept current by a watch.
import { useCallback, useEffect, useState } from "preact/hooks";
import { can, objectPath, type Resource } from "../discovery/resource";
import { json, mayPass } from "../requests/api";
import { asFailure, type Failure } from "../requests/failure";
import type { ApiObject } from "../values/api-object";
import { follow } from "./follow";
import { Pauses, pauseAfter } from "./pause";

export interface LiveObject {
  readonly object?: ApiObject;
  /** The object was there, and was deleted while it was shown. It is the last state then. */
  readonly isDeleted: boolean;
  readonly failure?: Failure | undefined;
  readonly reload: () => void;
}

type State = Omit<LiveObject, "reload">;

export function useObject(resource: Resource, namespace: string | undefined, name: string): LiveObject {
  const [state, setState] = useState<State>({ isDeleted: false });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => setState({ isDeleted: false }), [resource, namespace, name]);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const pauses = new Pauses();
    let unfollow = (): void => undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const load = async (): Promise<void> => {
      try {
        const object = await json<ApiObject>(objectPath(resource, namespace, name), { signal });
        if (signal.aborted) return;
        setState({ object, isDeleted: false });
        if (can(resource, "watch")) watch(object.metadata.resourceVersion ?? "");
      } catch (error) {
        if (signal.aborted) return;
        const failure = asFailure(error);
        setState((before) =>
          failure.code === 404 && before.object !== undefined
            ? { object: before.object, isDeleted: true }
            : { ...before, failure },
        );
        if (mayPass(error)) timer = setTimeout(load, pauses.take(Math.random(), pauseAfter(failure)));
      }
    };
    const watch = (resourceVersion: string): void => {
      const target = {
        resource,
        ...(namespace === undefined ? {} : { namespace }),
        fieldSelector: `metadata.name=${name}`,
        resourceVersion,
      };
      unfollow = follow(target, {
        change: (type, object) => setState({ object: object as ApiObject, isDeleted: type === "DELETED" }),
        lost: load,
        connection: (failure) => {
          // A user who may read the object and not watch it sees the state of the last load.
          if (failure?.code !== 403) setState((before) => ({ ...before, failure }));
        },
      });
    };
    load();
    return () => {
      ending.abort();
      unfollow();
      clearTimeout(timer);
    };
  }, [resource, namespace, name, round]);
  return { ...state, reload };
}
