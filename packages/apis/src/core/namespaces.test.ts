import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { strategyOf, subresourceOf } from "../strategy";
import { systemNamespaces } from "../system-namespaces";
import { namespaces } from "./namespaces";

const vocabulary = vocabularyOf("kubernetes");
const strategy = strategyOf(namespaces.rules, vocabulary);

test("a new namespace is active and carries its name as a label", () => {
  const made: JsonObject = { metadata: { name: "team-a", labels: { mine: "1" } }, status: { phase: "Terminating" } };
  strategy.prepareForCreate?.(made);
  expect(made).toEqual({
    metadata: { name: "team-a", labels: { mine: "1", "kubernetes.io/metadata.name": "team-a" } },
    status: { phase: "Active" },
  });
});

test("an update cannot take the label or the finalizers away", () => {
  const old = { metadata: { name: "a" }, spec: { finalizers: ["kubernetes"] }, status: { phase: "Active" } };
  const next: JsonObject = { metadata: { name: "a" }, spec: {} };
  strategy.prepareForUpdate?.(next, old);
  expect(next).toEqual({ ...old, metadata: { name: "a", labels: { "kubernetes.io/metadata.name": "a" } } });
});

test("finalizing takes the finalizers of the body and keeps the status", () => {
  const finalize = subresourceOf(namespaces.subresources.finalize, vocabulary);
  const next: JsonObject = { metadata: { name: "a" }, spec: { finalizers: [] }, status: { phase: "Active" } };
  finalize.prepareForUpdate(next, {
    metadata: { name: "a" },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Terminating" },
  });
  expect(next).toEqual({ metadata: { name: "a" }, spec: { finalizers: [] }, status: { phase: "Terminating" } });
  expect(finalize.verbs).toEqual(["update"]);
});

test("every cluster has its four namespaces", () => {
  expect(systemNamespaces(vocabulary)).toEqual(["default", "kube-system", "kube-public", "kube-node-lease"]);
  expect(systemNamespaces(vocabularyOf("orch"))).toEqual(["default", "orch-system", "orch-public", "orch-node-lease"]);
});
