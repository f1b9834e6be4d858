// The clauses of an Accept header: `application/json;as=Table;v=v1;q=0.8, */*`.

export interface AcceptClause {
  /** Lower case. */
  readonly type: string;
  /** By lower-case name; values without their quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** The most wanted first; clauses of one weight as they stand. Those of weight 0 are refused by the client, and left out. */
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
