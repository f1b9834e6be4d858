// Shares the sign-in with the other pages of the server's origin: the explorer, and other tabs of the console.
import { effect } from "@preact/signals";
import { type HeldToken, heldToken, renewToken, signIn, signOut, whenSignedOut } from "../session/session";
import { names } from "../session/settings";
import { signInWith } from "./identity";

/** Module of the explorer. It is loaded from the server, so that the two pages have one way to share. */
interface SharingModule {
  shareSignIn(page: { held(): HeldToken | undefined; take(given: HeldToken): void; end(session: string): void }): {
    ask(): void;
    give(): void;
    end(session: string): void;
  };
}

/**
 * Takes the token of another page while this one has none, and gives its own.
 *
 * @param explorer path of the explorer
 * @param first attempt to sign in, which comes before what others give
 */
export async function shareSignIn(explorer: string, first: Promise<unknown>): Promise<void> {
  let module: SharingModule;
  try {
    module = await import(/* @vite-ignore */ `${explorer}/shared-sign-in.js`);
  } catch {
    return; // The server has no explorer, or does not give it to this user: each page asks by itself.
  }
  const sharing = module.shareSignIn({
    held: heldToken,
    take(given) {
      if (heldToken()?.session === given.session) renewToken(given.token);
      else
        first.then(() => {
          if (signIn.value.state === "asking")
            signInWith(given.token, names().authentication, { session: given.session });
        });
    },
    end(session) {
      if (heldToken()?.session === session) signOut("You have signed out in another page.");
    },
  });
  whenSignedOut(sharing.end);
  effect(() => {
    if (heldToken() !== undefined) sharing.give();
  });
  sharing.ask();
}
