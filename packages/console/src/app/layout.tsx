import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { focusMain } from "../parts/focus-main";
import { leaveImpersonation } from "../parts/leave-impersonation";
import { addressOf } from "../routes/route";
import { goTo, route } from "../routes/router";
import { SearchDialog } from "../search/search-dialog";
import { hasToken, impersonation, impersonationEnd, signIn, signOut } from "../session/session";
import { config } from "../session/settings";
import { HelpDialog } from "./help-dialog";
import { jumps } from "./jumps";
import { followKeys } from "./keys";
import { PAGES } from "./pages";
import { RenewalNote } from "./renewal-note";

/** Navigation, user and the present page. */
export function Layout({ children }: { readonly children: ComponentChildren }) {
  const { page } = route.value;
  const [open, setOpen] = useState<"search" | "help">();
  useEffect(() => followKeys({ search: () => setOpen("search"), help: () => setOpen("help"), jump }), []);
  const close = () => setOpen(undefined);
  const present = page === "" ? PAGES[0]?.path : page;
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
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
          {config.value.explorer !== undefined && (
            <a href={config.value.explorer} target="_blank" rel="noopener">
              API
            </a>
          )}
        </nav>
        <button type="button" aria-keyshortcuts="/" onClick={() => setOpen("search")}>
          Search
        </button>
        <button type="button" aria-label="Keys" aria-keyshortcuts="?" onClick={() => setOpen("help")}>
          ?
        </button>
        <UserMenu />
      </header>
      <ImpersonationNote />
      <RenewalNote />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {open === "search" && <SearchDialog close={close} />}
      {open === "help" && <HelpDialog close={close} />}
    </>
  );
}

function jump(key: string): boolean {
  const found = jumps().find((each) => each.key === key);
  if (found !== undefined) goTo(found.address);
  return found !== undefined;
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

/** Tells whose rights the console has, and why an impersonation has ended. */
function ImpersonationNote() {
  const assumed = impersonation.value;
  if (assumed !== undefined) {
    const { username, groups = [] } = assumed.user;
    return (
      <div class="note impersonation" role="status">
        You see and act as <strong>{username}</strong>
        {groups.length > 0 && ` of the groups ${shortList(groups)}`}.{" "}
        <button type="button" onClick={leaveImpersonation}>
          Be yourself again
        </button>
      </div>
    );
  }
  const words = impersonationEnd.value;
  if (words === undefined) return null;
  return (
    <div class="note impersonation" role="alert">
      {words} You are yourself again.{" "}
      <button type="button" onClick={leaveImpersonation}>
        Close
      </button>
    </div>
  );
}

const GROUPS_SHOWN = 3;

/** Names some groups, and counts the others: the note stands above every page. */
function shortList(groups: readonly string[]): string {
  const shown = groups.slice(0, GROUPS_SHOWN).map((group) => (group.includes(",") ? JSON.stringify(group) : group));
  const others = groups.length - shown.length;
  return [...shown, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}
