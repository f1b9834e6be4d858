// Every function that rules may call.
import { ADDRESSES } from "./addresses";
import { CONVERSIONS } from "./conversions";
import { ENCODERS } from "./encoders";
import { FunctionTable } from "./function-table";
import { LISTS } from "./lists";
import { MATHEMATICS } from "./mathematics";
import { NAMED_FORMATS } from "./named-formats";
import { OPERATORS } from "./operators";
import { OPTIONALS } from "./optionals";
import { QUANTITIES } from "./quantities";
import { REGULAR_EXPRESSIONS } from "./regular-expressions";
import { STRINGS } from "./strings";
import { TIMES } from "./times";
import { URLS } from "./urls";

export const LIBRARY = new FunctionTable([
  ...OPERATORS,
  ...CONVERSIONS,
  ...TIMES,
  ...STRINGS,
  ...REGULAR_EXPRESSIONS,
  ...LISTS,
  ...MATHEMATICS,
  ...ENCODERS,
  ...OPTIONALS,
  ...QUANTITIES,
  ...URLS,
  ...ADDRESSES,
  ...NAMED_FORMATS,
]);
