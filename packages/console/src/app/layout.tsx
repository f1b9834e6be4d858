import type { ComponentChildren } from "preact";
import { addressOf } from "../routes/route";
import { route } from "../routes/router";
import { hasToken, impersonation, signIn, signOut } from "../session/session";
import { config } from "../session/settings";
import { PAGES } from "./pages";

/** Navigation, user and the present page. */
export function Layout({ children }: { readonly children: ComponentChildren }) {
  const { page } = route.value;
  const present = page === "" ? PAGES[0]?.path : page;
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <header class="bar">
        <a class="brand" href={addressOf("")}>
          Console
        </a>
        <nav aria-label="Pages">
          {PAGES.filter((each) => each.isListed).map(({ path, title }) => (
            <a key={path} href={addressOf(path)} aria-current={path === present ? "page" : undefined}>
              {title}
            </a>
          ))}
          {config.value.explorer !== undefined && <a href={config.value.explorer}>API</a>}
        </nav>
        <UserMenu />
      </header>
      <ImpersonationNote />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

function skip(): void {
  document.getElementById("main")?.focus();
}

function UserMenu() {
  if (signIn.value.state !== "signedIn") return null;
  const { username } = signIn.value.user;
  return (
    <div class="user">
      <span class="name" title={hasToken.value ? "signed in with a token" : "signed in with the browser's certificate"}>
        {username}
      </span>
      <button type="button" onClick={() => signOut()}>
        Sign out
      </button>
    </div>
  );
}

function ImpersonationNote() {
  const assumed = impersonation.value;
  if (assumed === undefined) return null;
  const leave = () => {
    impersonation.value = undefined;
  };
  return (
    <p class="note impersonation" role="status">
      You see and act as <strong>{assumed.user}</strong>
      {assumed.group !== undefined && ` of the group ${assumed.group}`}.{" "}
      <button type="button" onClick={leave}>
        Be yourself again
      </button>
    </p>
  );
}
