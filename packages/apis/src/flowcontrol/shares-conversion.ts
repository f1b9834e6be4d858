// Conversion of priority levels: v1beta1 and v1beta2 name the shares `assuredConcurrencyShares`, and v1beta3 marks 0
// shares with an annotation. Source: KEP-1040, "API Priority and Fairness"; pkg/apis/flowcontrol/v1beta3/conversion.go.

import { type Conversion, fieldAt, takeField } from "@orch/apis-model";
import { isObject, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";

const SHARES = "nominalConcurrencyShares";
const FORMER_SHARES = "assuredConcurrencyShares";

export const sharesConversion: Conversion = {
  toHub: (level) => rename(level, { from: FORMER_SHARES, to: SHARES }),
  fromHub: (level) => rename(level, { from: SHARES, to: FORMER_SHARES }),
};

/** Conversion between v1beta3 and v1. */
export const zeroSharesConversion: Conversion = {
  toHub: (level, vocabulary) => {
    const metadata = fieldAt(level, ["metadata"]);
    const annotations = isObject(metadata) ? memberOf(metadata, "annotations") : undefined;
    if (!isObject(metadata) || !isObject(annotations) || !Object.hasOwn(annotations, keepsZero(vocabulary)))
      return level;
    const { [keepsZero(vocabulary)]: _dropped, ...others } = annotations;
    metadata["annotations"] = others;
    return level;
  },
  fromHub: (level, vocabulary) => {
    const limited = fieldAt(level, ["spec", "limited"]);
    if (!isObject(limited) || memberOf(limited, SHARES) !== 0) return level;
    const metadata = fieldAt(level, ["metadata"]);
    if (!isObject(metadata)) return level;
    const annotations = memberOf(metadata, "annotations");
    metadata["annotations"] = { ...(isObject(annotations) && annotations), [keepsZero(vocabulary)]: "" };
    return level;
  },
};

const keepsZero = ({ annotations }: Vocabulary): string => annotations.flowcontrolV1beta3PreserveZeroConcurrencyShares;

function rename(level: JsonObject, field: { readonly from: string; readonly to: string }): JsonObject {
  const limited = fieldAt(level, ["spec", "limited"]);
  if (isObject(limited)) {
    const shares = takeField(limited, field.from);
    if (shares !== undefined) limited[field.to] = shares;
  }
  return level;
}
