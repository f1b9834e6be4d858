// Parses an Accept header: `application/json;as=Table;v=v1;q=0.8, */*` (RFC 9110, section 12.5.1).

export interface AcceptClause {
  /** Media type in lower case. */
  readonly type: string;
  /** Parameters by lower-case name; values without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Returns the clauses by descending weight, in header order for equal weights. Clauses of weight 0 exclude a type and
 * are left out.
 */
export function parseAccept(header: string): readonly AcceptClause[] {
  const clauses = header.split(",").map(parseClause);
  clauses.sort((a, b) => b.weight - a.weight);
  return clauses.filter(({ type, weight }) => weight > 0 && type !== "");
}

function parseClause(text: string): AcceptClause & { readonly weight: number } {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(rest.map(parseParameter));
  const weight = Number(parameters.get("q") ?? "1");
  return { type: type.toLowerCase(), parameters, weight: Number.isFinite(weight) ? weight : 1 };
}

function parseParameter(text: string): [string, string] {
  const equals = text.indexOf("=");
  if (equals < 0) return [text.toLowerCase(), ""];
  const name = text.slice(0, equals).trim().toLowerCase();
  return [
    name,
    text
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, "$1"),
  ];
}

/** Returns a media type in lower case, without its parameters. Source: RFC 9110, section 8.3. */
export const mediaTypeIn = (contentType: string): string => contentType.split(";")[0]?.trim().toLowerCase() ?? "";
