// Headers by which another server's page would have the browser ask for more, or tell others of the page: at addresses of this server, with
// the credentials that the browser holds for it. What is left of them speaks of the page alone.
// Source: RFC 8288, the HTML standard ("Processing Link headers"), Content Security Policy Level 3.

/** Relations that a browser follows only when its user does. */
const FOLLOWED_BY_USERS: ReadonlySet<string> = new Set([
  ...["next", "prev", "previous", "first", "last", "self", "up", "index", "contents", "collection", "item"],
  ...["alternate", "canonical", "author", "license", "help", "describedby", "describes", "related", "search"],
]);

// Each part begins with a character that the part before it cannot hold: that keeps matching linear.
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s;,="<>]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"<>]*))?)*)/g;
const RELATION = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]*))/gi;

/** The links of a `Link` header that no browser follows by itself; undefined where there are none. */
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

const REPORTS = /^\s*report-(?:uri|to)(?:\s|$)/i;

/** A `Content-Security-Policy` header without the addresses that breaches would be reported to; undefined where nothing is left. */
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
