// Headers by which a proxied page would make the browser send requests or reports to addresses of this server, with its
// credentials. Only the parts about the page itself are kept. Source: RFC 8288; HTML standard, "Processing Link
// headers"; Content Security Policy Level 3.

/** Link relations that a browser follows only on a user's action. */
const FOLLOWED_BY_USERS: ReadonlySet<string> = new Set([
  ...["next", "prev", "previous", "first", "last", "self", "up", "index", "contents", "collection", "item"],
  ...["alternate", "canonical", "author", "license", "help", "describedby", "describes", "related", "search"],
]);

// Each part begins with a character that the previous part cannot contain, which keeps matching linear.
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="<>]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"<>]*))?)*)/g;
const RELATION = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/gi;

/** Returns the links of a `Link` header that no browser follows by itself; undefined when there are none. */
export function passiveLinks(value: string): string | undefined {
  const kept = [...value.matchAll(LINK)].filter(([, , parameters = ""]) => isPassive(parameters)).map(([link]) => link);
  return kept.length === 0 ? undefined : kept.join(", ");
}

function isPassive(parameters: string): boolean {
  const relations = [...parameters.matchAll(RELATION)].flatMap(([, quoted, plain = ""]) =>
    (quoted ?? plain).toLowerCase().split(/\s+/),
  );
  return relations.length > 0 && relations.every((relation) => FOLLOWED_BY_USERS.has(relation));
}

/** Changes the addresses of a `Link` header. */
export const withLinks = (value: string, change: (link: string) => string): string =>
  value.replace(/<([^<>]*)>/g, (_whole, link: string) => `<${change(link)}>`);

/**
 * Policy that gives a page an origin of its own. Its scripts can neither read the API as the visitor, nor use the storage or
 * the windows of the server's own pages; they can still run and send forms. Source: HTML standard, "Sandboxing".
 */
export const SANDBOX = "sandbox allow-downloads allow-forms allow-modals allow-scripts";

/** Types that browsers never show as a page with scripts, whatever the content is. */
const DATA =
  /^application\/(?:json|cbor|yaml|(?:vnd\.[\w.-]+\+)?(?:json|protobuf)|vnd\.[\w.-]+\.protobuf)\s*(?:;[^,]*)?$/i;

/** Whether a browser may show the answer as a page. @param type the Content-Type headers */
export const isPage = (type: string | readonly string[] | undefined): boolean =>
  typeof type !== "string" || !DATA.test(type);

const REPORTS = /^\s*report-(?:uri|to)(?:\s|$)/i;

/** Removes the report addresses from a `Content-Security-Policy` header; undefined when nothing is left. */
export function withoutReports(value: string): string | undefined {
  const policies = value
    .split(",")
    .map((policy) =>
      policy
        .split(";")
        .filter((directive) => directive.trim() !== "" && !REPORTS.test(directive))
        .map((directive) => directive.trim())
        .join("; "),
    )
    .filter((policy) => policy !== "");
  return policies.length === 0 ? undefined : policies.join(", ");
}
