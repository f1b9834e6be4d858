// Functions for JSON patches. Source: staging/src/k8s.io/apiserver/pkg/cel/library/jsonpatch.go.
import { reads } from "../cost/cost-model";
import { fn, type Overload } from "./overload";

export const PATCHES: readonly Overload[] = [
  fn("jsonpatch.escapeKey(string): string", reads(0), (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1")),
];
