// What a fold costs beside its parts: the steps of the field's comprehensions, which test whether to go on and collect the result.
import type { FoldMacro } from "../syntax/expression";

/** Cost units of each element that is visited, and of each that is kept, beside what the filter and the body cost. */
export const FOLD_COSTS: Readonly<Record<FoldMacro, { readonly each: number; readonly kept: number }>> = {
  all: { each: 3, kept: 0 },
  exists: { each: 4, kept: 0 },
  existsOne: { each: 1, kept: 1 },
  list: { each: 1, kept: 11 },
  map: { each: 1, kept: 31 },
  mapEntry: { each: 1, kept: 1 },
};
