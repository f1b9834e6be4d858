// Starts the console: settings, credential, router, pages.
import { render } from "preact";
import { App } from "./app/app";
import "./app/theme.css";
import "./app/layout.css";
import { followRefusals, signInWith } from "./requests/identity";
import { passAnswerOn } from "./requests/oidc";
import { shareSignIn } from "./requests/shared-sign-in";
import { startRouter } from "./routes/router";
import { loadConfig } from "./session/config";
import { hasLostToken, takeTokenOfLink } from "./session/session";
import { config, names } from "./session/settings";

const LOST_TOKEN =
  "Reloading the page removed the token, which is only kept in memory. Enter it again, or open the link of the server's last start.";

/** Signs in with the token of the link, when the address has one. */
function takeLink(): boolean {
  const given = takeTokenOfLink();
  if (given === undefined) return false;
  signInWith(given, names().authentication);
  return true;
}

async function start(root: HTMLElement): Promise<void> {
  if (passAnswerOn()) {
    root.textContent = "The sign-in goes on in the window that you came from. You can close this one.";
    return;
  }
  // The token leaves the address before any request is sent.
  const given = takeTokenOfLink();
  try {
    config.value = await loadConfig();
  } catch (error) {
    root.textContent = error instanceof Error ? error.message : String(error);
    return;
  }
  followRefusals(() => names().authentication);
  startRouter(takeLink);
  render(<App />, root);
  const first = signInWith(given ?? "", names().authentication, { words: hasLostToken() ? LOST_TOKEN : undefined });
  if (config.value.explorer !== undefined) await shareSignIn(config.value.explorer, first);
}

const root = document.getElementById("app");
if (root !== null) start(root);
