// Which representation a client can read. Source: facts, http.md "Content negotiation".
import { NOT_ACCEPTABLE_TEXT, notAcceptable } from "@orch/machinery";
import type { ApiRequest } from "../pipeline/request-context";

/** The representations that the server writes, the preferred first. */
const OFFERED = ["application/json"] as const;

interface Decision {
  readonly acceptable: boolean;
  /** Said in the clause itself. */
  readonly pretty: boolean | undefined;
}

/** Clients send few different Accept headers, many times. */
const CACHE_MAX = 1000;
const decisions = { object: new Map<string, Decision>(), watch: new Map<string, Decision>() };
const ANYTHING: Decision = { acceptable: true, pretty: undefined };

/** @throws StatusError NotAcceptable (406) when the client reads nothing that is offered */
export function requireJson(request: ApiRequest, form: "object" | "watch" = "object"): void {
  const { accept } = request.headers;
  if (accept === undefined || accept === "" || accept === "*/*" || accept === "application/json") return;
  const known = decisions[form];
  let decision = known.get(accept);
  if (decision === undefined) {
    decision = decide(accept, form);
    if (known.size >= CACHE_MAX) known.clear();
    known.set(accept, decision);
  }
  if (!decision.acceptable) {
    const offered = form === "watch" ? OFFERED.map((type) => `${type};stream=watch`) : OFFERED;
    throw notAcceptable(NOT_ACCEPTABLE_TEXT.mediaTypes(offered));
  }
  if (decision.pretty === true) request.context.pretty = true;
}

/** Clauses in the order of their weight; the first that fits decides. */
function decide(accept: string, form: "object" | "watch"): Decision {
  const clauses = accept.split(",").map(parseClause);
  clauses.sort((a, b) => b.weight - a.weight);
  const fitting = clauses.find((clause) => clause.weight > 0 && fits(clause, form));
  if (fitting === undefined) return { acceptable: false, pretty: undefined };
  const pretty = fitting.parameters.get("pretty");
  return pretty === undefined ? ANYTHING : { acceptable: true, pretty: pretty !== "0" && pretty !== "false" };
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly weight: number;
}

function parseClause(text: string): Clause {
  const [type = "", ...rest] = text.split(";").map((part) => part.trim());
  const parameters = new Map(
    rest.map((part): [string, string] => {
      const equals = part.indexOf("=");
      const value = equals < 0 ? "" : part.slice(equals + 1).replace(/^"(.*)"$/, "$1");
      return [(equals < 0 ? part : part.slice(0, equals)).toLowerCase(), value];
    }),
  );
  const weight = Number(parameters.get("q") ?? "1");
  return { type: type.toLowerCase(), parameters, weight: Number.isFinite(weight) ? weight : 1 };
}

/** A clause that asks for a conversion is passed over: clients name the plain type after it as a fallback. */
function fits({ type, parameters }: Clause, form: "object" | "watch"): boolean {
  if (type !== "*/*" && type !== "application/*" && !OFFERED.some((offered) => offered === type)) return false;
  if (parameters.has("as")) return false;
  const stream = parameters.get("stream");
  if (stream !== undefined && (stream !== "watch" || form !== "watch")) return false;
  const serverVersion = parameters.get("sv");
  return serverVersion === undefined || serverVersion === "v1";
}
