import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading } from "./loading";
import type { PageProps } from "./page-view";

/** Returns a page whose code is loaded when it is first shown. */
export function lazyView(load: () => Promise<ComponentType<PageProps>>): ComponentType<PageProps> {
  let loaded: ComponentType<PageProps> | undefined;
  return function LazyView(props: PageProps) {
    const [state, setState] = useState<"loading" | "loaded" | "failed">(loaded === undefined ? "loading" : "loaded");
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (view) => {
          loaded = view;
          setState("loaded");
        },
        () => setState("failed"),
      );
    }, []);
    if (state === "failed")
      return (
        <p class="note failure" role="alert">
          A part of the console cannot be loaded: the server cannot be reached, or it has another version now. Reload
          the page.
        </p>
      );
    const View = loaded;
    return View === undefined ? <Loading subject="the page" /> : <View {...props} />;
  };
}
