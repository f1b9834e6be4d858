import { useState } from "preact/hooks";
import { isAborted } from "../requests/api";
import { renewalWords, signInAgain } from "../requests/renewal";

/** Asks for another sign-in before the present one expires; the page below it stays as it is. */
export function RenewalNote() {
  const [ending, setEnding] = useState<AbortController>();
  const [problem, setProblem] = useState<string>();
  const words = renewalWords.value;
  if (words === undefined) return null;
  const start = async () => {
    const controller = new AbortController();
    setEnding(controller);
    setProblem(undefined);
    try {
      await signInAgain(controller.signal);
    } catch (error) {
      if (!isAborted(error)) setProblem(error instanceof Error ? error.message : String(error));
    }
    setEnding(undefined);
  };
  return (
    <div class="note" role="alert">
      <p>{problem ?? words}</p>
      {ending === undefined ? (
        <button type="button" onClick={start}>
          Sign in again
        </button>
      ) : (
        <button type="button" onClick={() => ending.abort()}>
          Cancel
        </button>
      )}
    </div>
  );
}
