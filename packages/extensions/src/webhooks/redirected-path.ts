// Redirects of webhooks. The API server of Kubernetes follows those that keep the method, which servers send that
// correct the path of a request, such as `//validate`. This server stays at the address that the configuration names.
import type { RawResponse } from "@orch/client";

/** Temporary and permanent redirects that keep the method and the body: RFC 9110, sections 15.4.8 and 15.4.9. */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);

/**
 * Returns the path, with its query, to which a response redirects.
 * @param from address of the webhook, and the path that answered
 * @returns undefined for other responses, and for a redirect to another scheme, host or port
 */
export function redirectedPath(
  { status, headers }: RawResponse,
  from: { readonly url: URL; readonly path: string },
): string | undefined {
  const { location } = headers;
  if (!KEEPS_METHOD.has(status) || location === undefined) return undefined;
  const { origin } = from.url;
  const base = `${origin}${from.path}`;
  if (!URL.canParse(location, base)) return undefined;
  const to = new URL(location, base);
  return to.origin === origin ? `${to.pathname}${to.search}` : undefined;
}
