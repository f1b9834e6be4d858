// Every function that rules may call.
import { CONVERSIONS } from "./conversions";
import { ENCODERS } from "./encoders";
import { FunctionTable } from "./function-table";
import { LISTS } from "./lists";
import { MATHEMATICS } from "./mathematics";
import { OPERATORS } from "./operators";
import { OPTIONALS } from "./optionals";
import { REGULAR_EXPRESSIONS } from "./regular-expressions";
import { STRINGS } from "./strings";
import { TIMES } from "./times";

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
]);
