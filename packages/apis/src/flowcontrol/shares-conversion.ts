// Conversion of priority levels: v1beta1 and v1beta2 name the shares `assuredConcurrencyShares`. Source: KEP-1040, "API
// Priority and Fairness".

import { type Conversion, fieldAt, takeField } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

const SHARES = "nominalConcurrencyShares";
const FORMER_SHARES = "assuredConcurrencyShares";

export const sharesConversion: Conversion = {
  toHub: (level) => rename(level, { from: FORMER_SHARES, to: SHARES }),
  fromHub: (level) => rename(level, { from: SHARES, to: FORMER_SHARES }),
};

function rename(level: JsonObject, field: { readonly from: string; readonly to: string }): JsonObject {
  const limited = fieldAt(level, ["spec", "limited"]);
  if (isObject(limited)) {
    const shares = takeField(limited, field.from);
    if (shares !== undefined) limited[field.to] = shares;
  }
  return level;
}
