// Encoders and escaping. Source: github.com/google/cel-go, ext/encoders.go.
import { range, reads } from "../cost/cost-model";
import { fail } from "../values/evaluation-error";
import { fn, type Overload } from "./overload";

export const ENCODERS: readonly Overload[] = [
  fn(
    "base64.encode(bytes): string",
    { ...reads(0), size: (bytes = range(0)) => range(0, bytes.max * 2) },
    (bytes: Uint8Array) => Buffer.from(bytes).toString("base64"),
  ),
  fn("base64.decode(string): bytes", reads(0), base64Bytes),
];

/** Functions for JSON patches. Source: staging/src/k8s.io/apiserver/pkg/cel/library/jsonpatch.go. */
export const PATCHES: readonly Overload[] = [
  fn("jsonpatch.escapeKey(string): string", reads(0), (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1")),
];

/** Decodes base64 with or without padding. */
export function base64Bytes(text: string): Uint8Array {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return fail("illegal base64 data");
  return Uint8Array.from(Buffer.from(text, "base64"));
}
