// Conditions of `orch wait --for`. Source: kubectl/pkg/cmd/wait/wait.go.
import { metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { parseTemplate } from "../../output/path-template";
import { templateValues } from "../../output/path-values";
import { CliError } from "../../process/cli-error";

export type WaitCondition =
  | { readonly kind: "delete" }
  | { readonly kind: "create" }
  | { readonly kind: "object"; readonly isMet: (object: JsonObject) => boolean };

/** Reads `condition=Ready`, `condition=Ready=false`, `delete`, `create` and `jsonpath={.a}=b`. @throws CliError */
export function waitCondition(text: string): WaitCondition {
  const lower = text.toLowerCase();
  if (lower === "delete" || lower === "create") return { kind: lower };
  if (text.startsWith("condition=")) {
    const [name = "", ...value] = text.slice("condition=".length).split("=");
    return { kind: "object", isMet: hasCondition(name, value.length === 0 ? "true" : value.join("=")) };
  }
  if (text.startsWith("jsonpath=")) return { kind: "object", isMet: hasValue(text.slice("jsonpath=".length)) };
  throw new CliError(
    `unrecognized condition: ${JSON.stringify(text)}: use condition=NAME, condition=NAME=VALUE, jsonpath='{PATH}'=VALUE, delete or create`,
  );
}

function hasCondition(name: string, value: string): (object: JsonObject) => boolean {
  return (object) => {
    const generation = metaOf(object).generation ?? 0;
    const status = (object["status"] ?? {}) as {
      readonly observedGeneration?: number;
      readonly conditions?: readonly JsonObject[];
    };
    if (status.observedGeneration !== undefined && status.observedGeneration < generation) return false;
    const found = (status.conditions ?? []).find(({ type }) => String(type).toLowerCase() === name.toLowerCase());
    if (found === undefined) return false;
    const { observedGeneration } = found;
    if (typeof observedGeneration === "number" && observedGeneration < generation) return false;
    return String(found["status"]).toLowerCase() === value.toLowerCase();
  };
}

function hasValue(text: string): (object: JsonObject) => boolean {
  const { path, value } = pathAndValue(text);
  const parts = parseTemplate(path);
  return (object) => {
    const found = templateValues(parts, object).flat();
    if (value === undefined) return found.length > 0;
    if (found.length === 0) return false;
    if (found.length > 1) throw new CliError("given jsonpath expression matches more than one value");
    const [first] = found;
    if (first !== null && typeof first === "object") {
      throw new CliError("jsonpath leads to a nested object or list which is not supported");
    }
    return String(first).trim() === value;
  };
}

function pathAndValue(text: string): { readonly path: string; readonly value: string | undefined } {
  const end = text.startsWith("{") ? text.lastIndexOf("}") + 1 : text.search(/=|$/);
  const path = text.slice(0, end);
  const rest = text.slice(end);
  const value =
    rest === ""
      ? undefined
      : rest
          .slice(1)
          .trim()
          .replace(/^(["'])(.*)\1$/, "$2");
  if (path === "" || (rest !== "" && !rest.startsWith("=")) || value === "") {
    throw new CliError(
      `jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'`,
    );
  }
  if (path.startsWith("{")) return { path, value };
  return { path: `{${path.startsWith(".") ? "" : "."}${path}}`, value };
}
