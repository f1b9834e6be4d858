// Cost of a fold in addition to its parts: the loop conditions and accumulation of CEL comprehensions.
import type { FoldMacro } from "../syntax/expression";

/** Cost units per visited element and per kept element, in addition to the filter and the body. */
export const FOLD_COSTS: Readonly<Record<FoldMacro, { readonly each: number; readonly kept: number }>> = {
  all: { each: 3, kept: 0 },
  exists: { each: 4, kept: 0 },
  existsOne: { each: 1, kept: 1 },
  list: { each: 1, kept: 11 },
  map: { each: 1, kept: 31 },
  mapEntry: { each: 1, kept: 1 },
};
