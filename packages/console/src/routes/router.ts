// The present route of the page.
import { signal } from "@preact/signals";
import { markHistory } from "../session/session";
import { addressOf, type Route, readRoute } from "./route";

export const route = signal<Route>(readRoute(""));

/** Follows the address. @param arrived is asked first, and returns true for fragments that are no routes */
export function startRouter(arrived: () => boolean): void {
  route.value = readRoute(location.hash);
  addEventListener("hashchange", () => {
    if (arrived()) return;
    markHistory();
    route.value = readRoute(location.hash);
  });
}

export function goTo(address: string): void {
  location.hash = address.slice(1);
}

/** Changes parameters of the present route without a new entry of the browser's history. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const { page, parts, query } = route.value;
  history.replaceState(history.state, "", addressOf(page, parts, { ...query, ...changes }));
  route.value = readRoute(location.hash);
}
