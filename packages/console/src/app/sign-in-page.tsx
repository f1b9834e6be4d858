import { useState } from "preact/hooks";
import { useTitle } from "../parts/title";
import { isAborted } from "../requests/api";
import { signInWith } from "../requests/identity";
import { oidcTokens } from "../requests/oidc";
import { keepRenewed } from "../requests/renewal";
import type { OidcSettings } from "../session/config";
import { config, names } from "../session/settings";

/** Asks for a credential. The token goes into the memory of the page only. */
export function SignInPage({ words }: { readonly words: string | undefined }) {
  useTitle("Sign in");
  const [token, setToken] = useState("");
  const [isBusy, setBusy] = useState(false);
  const enter = async (given: string) => {
    setBusy(true);
    await signInWith(given, names().authentication, { words: NO_CERTIFICATE });
    setBusy(false);
  };
  return (
    <main id="main" class="sign-in">
      <h1>Sign in</h1>
      {words !== undefined && (
        <p class="note" role="alert">
          {words}
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (token.trim() !== "") enter(token.trim());
        }}
      >
        <label>
          Bearer token
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={isBusy || token.trim() === ""}>
          Sign in
        </button>
      </form>
      {config.value.oidc !== undefined && <IssuerButton settings={config.value.oidc} enter={enter} />}
      <p>
        <button type="button" disabled={isBusy} onClick={() => enter("")}>
          Use the browser's certificate
        </button>
      </p>
      <section aria-label="Help">
        <h2>Other ways</h2>
        <p>
          A server that was started with <code>make run</code> or <code>orch up</code> prints a link that signs in on
          its own machine. The link is valid until the server stops.
        </p>
        <p>The token stays in the memory of this page. It is not stored, and reloading the page removes it.</p>
      </section>
    </main>
  );
}

interface IssuerProps {
  readonly settings: OidcSettings;
  readonly enter: (token: string) => Promise<void>;
}

/** Signs in at the issuer of the server, in a window of its own. */
function IssuerButton({ settings, enter }: IssuerProps) {
  const [ending, setEnding] = useState<AbortController>();
  const [problem, setProblem] = useState<string>();
  const start = async () => {
    const controller = new AbortController();
    setEnding(controller);
    setProblem(undefined);
    try {
      const tokens = await oidcTokens(settings, controller.signal);
      await enter(tokens.idToken);
      keepRenewed(settings, tokens);
    } catch (error) {
      if (!isAborted(error)) setProblem(error instanceof Error ? error.message : String(error));
    }
    setEnding(undefined);
  };
  return (
    <>
      <p>
        <button type="button" disabled={ending !== undefined} onClick={start}>
          Sign in with {new URL(settings.issuer).host}
        </button>{" "}
        {ending !== undefined && (
          <button type="button" onClick={() => ending.abort()}>
            Cancel
          </button>
        )}
      </p>
      {problem !== undefined && (
        <p class="note failure" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

const NO_CERTIFICATE =
  "The server does not know you: the browser sent no client certificate, or the server does not accept it.";
