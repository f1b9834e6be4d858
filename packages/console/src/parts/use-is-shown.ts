import { useCallback, useEffect, useRef } from "preact/hooks";

/** Returns a function that tells, after an answer has arrived, whether the component that asked is still shown. */
export function useIsShown(): () => boolean {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return useCallback(() => isShown.current, []);
}
