// All functions available to validation rules.
import { ADDRESSES } from "./addresses";
import { ARRANGED_LISTS } from "./arranged-lists";
import { AUTHORIZATION } from "./authorization";
import { CONVERSIONS } from "./conversions";
import { ENCODERS, PATCHES } from "./encoders";
import { LISTS } from "./lists";
import { MATHEMATICS } from "./mathematics";
import { NAMED_FORMATS } from "./named-formats";
import { OPERATORS } from "./operators";
import { OPTIONALS } from "./optionals";
import { FunctionTable, type Overload } from "./overload";
import { QUANTITIES } from "./quantities";
import { REGULAR_EXPRESSIONS } from "./regular-expressions";
import { STRINGS } from "./strings";
import { TIMES } from "./times";
import { URLS } from "./urls";
import { VERSIONS } from "./versions";

/** Functions with the first release that has them, unless their library is in every release. */
const SINCE: Readonly<Record<string, string>> = {
  format: "1.29",
  "strings.quote": "1.29",
  "sets.contains": "1.29",
  "sets.equivalent": "1.29",
  "sets.intersects": "1.29",
  fieldSelector: "1.31",
  labelSelector: "1.31",
};

const introduced = (since: string, overloads: readonly Overload[]): readonly Overload[] =>
  overloads.map((each) => ({ ...each, since: SINCE[each.name] ?? since }));

/** Source of the releases: staging/src/k8s.io/apiserver/pkg/cel/environment/base.go. */
const FUNCTIONS = [
  ...OPERATORS,
  ...CONVERSIONS,
  ...TIMES,
  ...introduced("1.23", STRINGS),
  ...REGULAR_EXPRESSIONS,
  ...introduced("1.23", LISTS),
  ...introduced("1.34", ARRANGED_LISTS),
  ...MATHEMATICS,
  ...ENCODERS,
  ...introduced("1.28", OPTIONALS),
  ...introduced("1.28", QUANTITIES),
  ...URLS,
  ...introduced("1.30", ADDRESSES),
  ...introduced("1.31", NAMED_FORMATS),
  ...introduced("1.33", VERSIONS),
];

export const LIBRARY = new FunctionTable(FUNCTIONS);

/** Functions available to expressions over requests. */
export const REQUEST_LIBRARY = new FunctionTable([...FUNCTIONS, ...introduced("1.27", AUTHORIZATION), ...PATCHES]);

/** Limits new expressions to the functions of a release, so that older servers of the fleet can evaluate them. */
export interface ExpressionLimit {
  readonly release: string;
  /** Expressions that are stored already. They may use all functions. */
  readonly stored: ReadonlySet<string>;
}

/** Returns the functions that an expression may use. */
export const functionsFor = (table: FunctionTable, source: string, limit: ExpressionLimit | undefined): FunctionTable =>
  table.upTo(limit === undefined || limit.stored.has(source.trim()) ? undefined : limit.release);
