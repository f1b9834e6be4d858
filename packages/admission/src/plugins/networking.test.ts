// Plugins for ingresses and services.
import { describe, expect, test } from "@jest/globals";
import type { AdmissionRequest } from "@orch/machinery";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { pluginsOf } from "../chain/plugin-table";
import type { RequestParts } from "../testing/admission-request";
import { type Answer, chainWith } from "../testing/answered";
import { storedObjects } from "../testing/stored-objects";
import { defaultIngressClass } from "./default-ingress-class";
import { denyServiceExternalIps } from "./deny-service-external-ips";

describe("DefaultIngressClass", () => {
  const GROUP = "networking.orch.io";
  const KEY = "ingressclass.orch.io/is-default-class";
  const INGRESS = { group: GROUP, plural: "ingresses", object: { metadata: { name: "a" }, spec: {} } } as const;
  const UNCHANGED: Answer = { object: INGRESS.object };

  const ingressClass = (name: string, annotations: Readonly<Record<string, string>> = {}): JsonObject => ({
    apiVersion: `${GROUP}/v1`,
    kind: "IngressClass",
    metadata: { name, annotations },
  });
  const given = (ingressClassName: string | null): JsonObject => ({
    metadata: { name: "a" },
    spec: { ingressClassName },
  });
  const refused = (count: number): Answer => ({
    refused: {
      code: 403,
      message: `ingresses.networking.orch.io "a" is forbidden: ${count} default IngressClasses were found, only 1 allowed`,
    },
  });
  const annotated = { metadata: { name: "a", annotations: { "orch.io/ingress.class": "x" } }, spec: {} };
  const isDefault = { [KEY]: "true" };
  const older = { version: { group: "extensions", version: "v1beta1" } as AdmissionRequest["version"] };

  test.each<[string, readonly JsonObject[], RequestParts, Answer]>([
    ["there is none", [], INGRESS, UNCHANGED],
    ["no class is the default", [ingressClass("x")], INGRESS, UNCHANGED],
    ["one class is", [ingressClass("x"), ingressClass("y", isDefault)], INGRESS, { object: given("y") }],
    ["the annotation says false", [ingressClass("y", { [KEY]: "false" })], INGRESS, UNCHANGED],
    ["the annotation says something else", [ingressClass("y", { [KEY]: "yes" })], INGRESS, UNCHANGED],
    [
      "the annotation is the storage classes'",
      [ingressClass("y", { "storageclass.orch.io/is-default-class": "true" })],
      INGRESS,
      UNCHANGED,
    ],
    ["two are", [ingressClass("x", isDefault), ingressClass("y", isDefault)], INGRESS, refused(2)],
    ["three are", ["x", "y", "z"].map((name) => ingressClass(name, isDefault)), INGRESS, refused(3)],
    [
      "two are, and the ingress names one",
      [ingressClass("x", isDefault), ingressClass("y", isDefault)],
      { ...INGRESS, object: given("x") },
      { object: given("x") },
    ],
    [
      "the ingress names another",
      [ingressClass("y", isDefault)],
      { ...INGRESS, object: given("x") },
      { object: given("x") },
    ],
    [
      "the ingress wants none",
      [ingressClass("y", isDefault)],
      { ...INGRESS, object: given("") },
      { object: given("") },
    ],
    [
      "the ingress names null",
      [ingressClass("y", isDefault)],
      { ...INGRESS, object: given(null) },
      { object: given("y") },
    ],
    [
      "the ingress has the older annotation",
      [ingressClass("y", isDefault)],
      { ...INGRESS, object: annotated },
      { object: annotated },
    ],
    [
      "the ingress has no specification",
      [ingressClass("y", isDefault)],
      { ...INGRESS, object: { metadata: { name: "a" } } },
      { object: given("y") },
    ],
    [
      "the ingress is written through the older group",
      [ingressClass("y", isDefault)],
      { ...INGRESS, ...older },
      UNCHANGED,
    ],
    ["it is a dry run", [ingressClass("y", isDefault)], { ...INGRESS, dryRun: true }, { object: given("y") }],
    [
      "the ingress is being updated",
      [ingressClass("y", isDefault)],
      { ...INGRESS, operation: "UPDATE", oldObject: INGRESS.object },
      UNCHANGED,
    ],
    ["it is the ingress's status", [ingressClass("y", isDefault)], { ...INGRESS, subresource: "status" }, UNCHANGED],
    ["it is something else", [ingressClass("y", isDefault)], { ...INGRESS, plural: "networkpolicies" }, UNCHANGED],
  ])("where %s", async (_what, classes, parts, answer) => {
    expect(
      await chainWith({ plugins: [defaultIngressClass], dependencies: storedObjects(classes) }).ask(parts),
    ).toEqual(answer);
  });

  test("the Kubernetes vocabulary has its own annotations", async () => {
    const object = {
      ...ingressClass("y", { "ingressclass.kubernetes.io/is-default-class": "true" }),
      apiVersion: "networking.k8s.io/v1",
    };
    const dependencies = { vocabulary: vocabularyOf("kubernetes"), ...storedObjects([object]) };
    const { ask } = chainWith({ plugins: [defaultIngressClass], dependencies });
    expect(await ask({ ...INGRESS, group: "networking.k8s.io" })).toEqual({ object: given("y") });
    const named = { metadata: { name: "a", annotations: { "kubernetes.io/ingress.class": "x" } }, spec: {} };
    expect(await ask({ ...INGRESS, group: "networking.k8s.io", object: named })).toEqual({ object: named });
  });

  test("switched off, changes nothing", async () => {
    const dependencies = storedObjects([ingressClass("y", isDefault)]);
    expect(await chainWith({ plugins: [], dependencies }).ask(INGRESS)).toEqual(UNCHANGED);
  });
});

describe("DenyServiceExternalIPs", () => {
  const { ask } = chainWith({ plugins: [denyServiceExternalIps] });
  const service = (externalIPs?: readonly string[] | null): JsonObject => ({
    metadata: { name: "a" },
    spec: externalIPs === undefined ? {} : { externalIPs: externalIPs as string[] | null },
  });
  const REFUSED: Answer = {
    refused: { code: 403, message: 'services "a" is forbidden: Use of external IPs is denied by admission control' },
  };
  const [A, B, C] = ["192.0.2.1", "192.0.2.2", "2001:db8::1"];

  test.each<[string, RequestParts, JsonObject | undefined, JsonObject, boolean]>([
    ["one without any", {}, undefined, service(), true],
    ["one with an empty list", {}, undefined, service([]), true],
    ["one with null", {}, undefined, service(null), true],
    ["one with an address", {}, undefined, service([A]), false],
    ["one with several", {}, undefined, service([A, B, C]), false],
    ["a dry run of one with an address", { dryRun: true }, undefined, service([A]), false],
    ["one without a specification", {}, undefined, { metadata: { name: "a" } }, true],
    ["one that keeps its address", {}, service([A]), service([A]), true],
    ["one that keeps some", {}, service([A, B, C]), service([B]), true],
    ["one that keeps them in another order", {}, service([A, B]), service([B, A]), true],
    ["one that keeps one twice", {}, service([A]), service([A, A]), true],
    ["one that gives up all", {}, service([A]), service(), true],
    ["one that takes another", {}, service([A]), service([A, B]), false],
    ["one that takes another instead", {}, service([A]), service([B]), false],
    ["one that takes its first", {}, service(), service([A]), false],
    ["the status of one that would take another", { subresource: "status" }, service(), service([A]), true],
    ["something else", { plural: "configmaps" }, undefined, service([A]), true],
    ["a service of another group", { group: "stable.example.com" }, undefined, service([A]), true],
  ])("%s", async (_what, parts, oldObject, object, passes) => {
    const operation = oldObject === undefined ? "CREATE" : "UPDATE";
    expect(await ask({ plural: "services", operation, object, oldObject, ...parts })).toEqual(
      passes ? { object } : REFUSED,
    );
  });

  test("a deletion", async () => {
    expect(await ask({ plural: "services", operation: "DELETE", oldObject: service([A]) })).toEqual({
      object: undefined,
    });
  });

  test("switched off, services have what they like", async () => {
    const object = service([A]);
    expect(await chainWith({ plugins: [] }).ask({ plural: "services", object })).toEqual({ object });
  });

  test.each([
    ["1.20", false],
    ["1.21", true],
    ["1.26", true],
  ])("release %s has it: %s", (release, has) => {
    expect(pluginsOf(release).some(({ plugin }) => plugin === denyServiceExternalIps)).toBe(has);
  });
});
