import { expect, test } from "@jest/globals";
import { namespaces, systemNamespaces } from "@orch/apis-core";
import type { ResourceDefinition, Subresource } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { definitionOf } from "./definitions";

const vocabulary = vocabularyOf("kubernetes");
const definition = definitionOf(namespaces, vocabulary, loadSchema(vocabulary), "1.23") as ResourceDefinition;
const { strategy } = definition;

test("a new namespace is active, carries its name as a label, and is held until it has been emptied", () => {
  const made: JsonObject = { metadata: { name: "team-a", labels: { mine: "1" } }, status: { phase: "Terminating" } };
  strategy.prepareForCreate?.(made);
  expect(made).toEqual({
    metadata: { name: "team-a", labels: { mine: "1", "kubernetes.io/metadata.name": "team-a" } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  });
});

test("a new namespace is held by the finalizers of its maker too", () => {
  const made: JsonObject = { metadata: { name: "a" }, spec: { finalizers: ["x/y"] } };
  strategy.prepareForCreate?.(made);
  expect(made["spec"]).toEqual({ finalizers: ["x/y", "kubernetes"] });
  strategy.prepareForCreate?.(made);
  expect(made["spec"]).toEqual({ finalizers: ["x/y", "kubernetes"] });
});

test("a namespace that is being deleted says so, and its end is over when it has been emptied", () => {
  const termination = strategy.deletion?.termination;
  const ending = { metadata: { name: "a" }, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
  expect(termination?.begun(ending)).toEqual({ ...ending, status: { phase: "Terminating" } });
  expect(ending.status.phase).toBe("Active");
  expect(termination?.isOver(ending)).toBe(false);
  expect(termination?.isOver({ ...ending, spec: { finalizers: [] } })).toBe(true);
  expect(termination?.isOver({ ...ending, spec: {} })).toBe(true);
});

test("an update cannot take the label or the finalizers away", () => {
  const old = { metadata: { name: "a" }, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
  const next: JsonObject = { metadata: { name: "a" }, spec: {} };
  strategy.prepareForUpdate?.(next, old);
  expect(next).toEqual({ ...old, metadata: { name: "a", labels: { "kubernetes.io/metadata.name": "a" } } });
});

test("finalizing takes the finalizers of the body and keeps the status", () => {
  const finalize = definition.subresources["finalize"] as Subresource;
  const next: JsonObject = { metadata: { name: "a" }, spec: { finalizers: [] }, status: { phase: "Active" } };
  finalize.prepareForUpdate(next, {
    metadata: { name: "a" },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Terminating" },
  });
  expect(next).toEqual({
    metadata: { name: "a", labels: { "kubernetes.io/metadata.name": "a" } },
    spec: { finalizers: [] },
    status: { phase: "Terminating" },
  });
  expect(finalize.verbs).toEqual(["update"]);
});

test.each<[string, readonly string[], readonly string[]]>([
  ["the standard ones and names with a prefix", ["kubernetes", "orphan", "foregroundDeletion", "x.org/y"], []],
  ["a name that is not standard", ["x/y", "mine"], ["spec.finalizers[1]"]],
  ["no qualified name", ["a b/c"], ["spec.finalizers[0]"]],
  ["an empty name", [""], ["spec.finalizers[0]"]],
])("finalizers, %s: %j breaks the rules at %j", (_what, finalizers, fields) => {
  const held = { metadata: { name: "a" }, spec: { finalizers: [...finalizers] } };
  const finalize = definition.subresources["finalize"] as Subresource;
  for (const errors of [
    strategy.validateCreate?.(held, { group: "", version: "v1" }),
    finalize.validateUpdate?.(held, held, { group: "", version: "v1" }),
  ]) {
    expect([...new Set(errors?.map(({ path }) => path))]).toEqual(fields);
  }
});

test.each<[string, JsonObject, string | undefined, boolean]>([
  ["live and active", {}, "Active", true],
  ["live and terminating", {}, "Terminating", false],
  ["live without a phase", {}, undefined, false],
  ["being deleted and terminating", { deletionTimestamp: "2030-01-01T00:00:00Z" }, "Terminating", true],
  ["being deleted and active", { deletionTimestamp: "2030-01-01T00:00:00Z" }, "Active", false],
])("a namespace may be %s", (_what, metadata, phase, allowed) => {
  const status = definition.subresources["status"] as Subresource;
  const next = { metadata: { name: "a", ...metadata }, status: phase === undefined ? {} : { phase } };
  const errors = status.validateUpdate?.(next, next, { group: "", version: "v1" });
  expect(errors?.map(({ path }) => path)).toEqual(allowed ? [] : ["status.Phase"]);
});

test("every cluster has its four namespaces", () => {
  expect(systemNamespaces(vocabulary)).toEqual(["default", "kube-system", "kube-public", "kube-node-lease"]);
  expect(systemNamespaces(vocabularyOf("orch"))).toEqual(["default", "orch-system", "orch-public", "orch-node-lease"]);
});
