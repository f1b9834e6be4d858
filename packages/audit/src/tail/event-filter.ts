// The events that a client asks for, as parameters of a query.
import { badRequest } from "@orch/machinery";

/** Members of an event that are looked at; each may have any value, because the log may be of another program. */
interface KeptEvent {
  readonly verb?: unknown;
  readonly stage?: unknown;
  readonly user?: { readonly username?: unknown };
  readonly impersonatedUser?: { readonly username?: unknown };
  readonly objectRef?: {
    readonly resource?: unknown;
    readonly apiGroup?: unknown;
    readonly subresource?: unknown;
    readonly namespace?: unknown;
  };
  readonly responseStatus?: { readonly code?: unknown };
  readonly annotations?: Readonly<Record<string, unknown>>;
}

type Check = (event: KeptEvent) => boolean;

const STAGES: readonly string[] = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"];
const DECISIONS: readonly string[] = ["allow", "forbid"];

/** Filter by parameter. */
const FILTERS: Readonly<Record<string, (value: string, decisionKey: string) => Check>> = {
  user:
    (value) =>
    ({ user, impersonatedUser }) =>
      user?.username === value || impersonatedUser?.username === value,
  verb:
    (value) =>
    ({ verb }) =>
      verb === value,
  resource: resourceCheck,
  namespace:
    (value) =>
    ({ objectRef }) =>
      objectRef?.namespace === value,
  code: codeCheck,
  decision: (value, key) => {
    oneOf("decision", value, DECISIONS);
    return ({ annotations }) => annotations?.[key] === value;
  },
  stage: (value) => {
    oneOf("stage", value, STAGES);
    return ({ stage }) => stage === value;
  },
};

export const FILTER_NAMES: readonly string[] = Object.keys(FILTERS);

/** Whether an event, of which anything may be missing, is asked for. */
export type EventFilter = (event: unknown) => boolean;

/**
 * Returns the filter of a query. An empty value filters nothing.
 * @param decisionKey annotation with the decision of authorization
 * @throws StatusError BadRequest (400) that names the parameter
 */
export function eventFilter(query: URLSearchParams, decisionKey: string): EventFilter {
  const checks = Object.entries(FILTERS).flatMap(([name, make]) => {
    const value = query.get(name) ?? "";
    return value === "" ? [] : [make(value, decisionKey)];
  });
  return (event) => typeof event === "object" && event !== null && checks.every((check) => check(event as KeptEvent));
}

/** `pods`, `deployments.apps` or `pods/log`. Without a group or a subresource, any is meant. */
function resourceCheck(value: string): Check {
  const [named = "", subresource] = value.split("/", 2);
  const dot = named.indexOf(".");
  const resource = dot < 0 ? named : named.slice(0, dot);
  const group = dot < 0 ? undefined : named.slice(dot + 1);
  return ({ objectRef }) =>
    objectRef?.resource === resource &&
    (group === undefined || objectRef.apiGroup === group) &&
    (subresource === undefined || objectRef.subresource === subresource);
}

/** `404`, or `4xx` for all codes from 400 to 499. */
function codeCheck(value: string): Check {
  if (!/^[1-5](\d\d|xx)$/.test(value))
    throw badRequest(`code: ${shown(value)} is not a status code, such as 404, or a class of them, such as 4xx`);
  const matches = value.endsWith("xx")
    ? (code: number) => Math.floor(code / 100) === Number(value[0])
    : (code: number) => code === Number(value);
  return ({ responseStatus }) => typeof responseStatus?.code === "number" && matches(responseStatus.code);
}

function oneOf(name: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value)) throw badRequest(`${name}: ${shown(value)} is not one of ${allowed.join(", ")}`);
}

const SHOWN_MAX = 100;

/** Returns a value for a message. */
const shown = (value: string): string =>
  JSON.stringify(value.length > SHOWN_MAX ? `${value.slice(0, SHOWN_MAX)}…` : value);
