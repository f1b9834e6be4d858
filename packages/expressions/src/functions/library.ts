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
import { FunctionTable } from "./overload";
import { QUANTITIES } from "./quantities";
import { REGULAR_EXPRESSIONS } from "./regular-expressions";
import { STRINGS } from "./strings";
import { TIMES } from "./times";
import { URLS } from "./urls";
import { VERSIONS } from "./versions";

const FUNCTIONS = [
  ...OPERATORS,
  ...CONVERSIONS,
  ...TIMES,
  ...STRINGS,
  ...REGULAR_EXPRESSIONS,
  ...LISTS,
  ...ARRANGED_LISTS,
  ...MATHEMATICS,
  ...ENCODERS,
  ...OPTIONALS,
  ...QUANTITIES,
  ...URLS,
  ...ADDRESSES,
  ...NAMED_FORMATS,
  ...VERSIONS,
];

export const LIBRARY = new FunctionTable(FUNCTIONS);

/** Functions available to expressions over requests. */
export const REQUEST_LIBRARY = new FunctionTable([...FUNCTIONS, ...AUTHORIZATION, ...PATCHES]);
