// Conversion of access reviews: v1beta1 names the groups of the user `group`. Source:
// staging/src/k8s.io/api/authorization/v1beta1/types.go.
import { isObject, type JsonObject } from "@orch/schema";
import type { Conversion } from "../model/built-in-resource";
import { takeField } from "../values/field-path";

export const groupsConversion: Conversion = {
  toHub: (review) => renamed(review, "group", "groups"),
  fromHub: (review) => renamed(review, "groups", "group"),
};

function renamed(review: JsonObject, from: string, to: string): JsonObject {
  const { spec } = review;
  if (!isObject(spec)) return review;
  const value = takeField(spec, from);
  if (value !== undefined) spec[to] = value;
  return review;
}
