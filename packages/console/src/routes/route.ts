// Addresses of pages. They are in the fragment, which browsers do not send: the server serves one file for all pages.

export interface Route {
  /** First part of the address, which selects the page. */
  readonly page: string;
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Reads `#/page/part?name=value`. Other fragments lead to the first page. */
export function readRoute(fragment: string): Route {
  if (!fragment.startsWith("#/")) return { page: "", parts: [], query: {} };
  const text = fragment.slice(2);
  const mark = text.indexOf("?");
  const [page = "", ...parts] = (mark < 0 ? text : text.slice(0, mark)).split("/").map(decoded);
  return { page, parts, query: mark < 0 ? {} : Object.fromEntries(new URLSearchParams(text.slice(mark + 1))) };
}

/** Returns the address of a page. Parameters that are undefined or empty are left out. */
export function addressOf(
  page: string,
  parts: readonly string[] = [],
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const path = [page, ...parts].map(encodeURIComponent).join("/");
  const text = parameters.toString();
  return `#/${path}${text === "" ? "" : `?${text}`}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
