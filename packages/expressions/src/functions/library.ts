// All functions available to validation rules.
import { compareReleases, type Vocabulary } from "@orch/schema";
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
  first: "1.34",
  last: "1.34",
};

/** Functions of cel-go that no environment of Kubernetes has. */
const ADDITIONS: ReadonlySet<string> = new Set(["reverse"]);

const added = (overloads: readonly Overload[]): readonly Overload[] =>
  overloads.map((each) => ({ ...each, isAddition: true }));

const introduced = (since: string, overloads: readonly Overload[]): readonly Overload[] =>
  overloads.map((each) => ({ ...each, since: SINCE[each.name] ?? since }));

/** Source of the releases: staging/src/k8s.io/apiserver/pkg/cel/environment/base.go. */
const FUNCTIONS = [
  ...OPERATORS,
  ...CONVERSIONS,
  ...TIMES,
  ...introduced(
    "1.23",
    STRINGS.flatMap((each) => (ADDITIONS.has(each.name) ? added([each]) : [each])),
  ),
  ...REGULAR_EXPRESSIONS,
  ...introduced("1.23", LISTS),
  ...introduced("1.34", ARRANGED_LISTS),
  ...added(MATHEMATICS),
  ...added(ENCODERS),
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
  /** Whether expressions may use functions that no release of Kubernetes has, such as `math.abs`. */
  readonly hasAdditions: boolean;
  /** Expressions that are stored already. They may use all functions. */
  readonly stored: ReadonlySet<string>;
}

/** Returns the functions that an expression may use. */
export const functionsFor = (
  table: FunctionTable,
  source: string,
  limit: ExpressionLimit | undefined,
): FunctionTable =>
  limit === undefined || limit.stored.has(source.trim()) ? table : table.upTo(limit.release, limit.hasAdditions);

/** First release of Kubernetes that reads expressions from configuration files. */
const CONFIGURED_SINCE = "1.29";

/** Returns the limit of expressions in configuration files, which may use the functions of the served release. */
export const configuredLimit = (release: string, vocabulary: Vocabulary): ExpressionLimit | undefined =>
  newExpressionLimit(compareReleases(release, CONFIGURED_SINCE) < 0 ? undefined : release, vocabulary);

/** Returns the limit of new expressions. @param release absent: none */
export const newExpressionLimit = (
  release: string | undefined,
  { name }: Vocabulary,
  stored: ReadonlySet<string> = new Set(),
): ExpressionLimit | undefined =>
  release === undefined ? undefined : { release, stored, hasAdditions: name !== "kubernetes" };
