// Plugins for claims, volumes and their classes.
import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import type { RequestParts } from "../testing/admission-request";
import { type Answer, chainWith } from "../testing/answered";
import { storedObjects } from "../testing/stored-objects";
import { defaultStorageClass } from "./default-storage-class";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection";

const CLAIM = { plural: "persistentvolumeclaims", object: { metadata: { name: "a" }, spec: {} } } as const;

interface ClassParts {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly made?: string;
  readonly allowVolumeExpansion?: boolean;
}

const storageClass = (
  name: string,
  { annotations = {}, made = "2026-01-01T00:00:00Z", ...rest }: ClassParts = {},
): JsonObject => ({
  apiVersion: "storage.orch.io/v1",
  kind: "StorageClass",
  metadata: { name, annotations, creationTimestamp: made },
  ...rest,
});

describe("StorageObjectInUseProtection", () => {
  const { ask } = chainWith({ plugins: [storageObjectInUseProtection] });
  const claim = (...finalizers: string[]): JsonObject => ({
    metadata: { name: "a", finalizers },
    spec: { storageClassName: "b" },
  });

  test.each<[string, RequestParts, JsonObject | undefined]>([
    ["a claim", { ...CLAIM }, { metadata: { name: "a", finalizers: ["orch.io/pvc-protection"] }, spec: {} }],
    [
      "a volume",
      { plural: "persistentvolumes", namespace: "", object: CLAIM.object },
      { metadata: { name: "a", finalizers: ["orch.io/pv-protection"] }, spec: {} },
    ],
    [
      "a claim with other finalizers",
      { ...CLAIM, object: claim("x.io/y", "x.io/z") },
      claim("x.io/y", "x.io/z", "orch.io/pvc-protection"),
    ],
    [
      "a claim that has it",
      { ...CLAIM, object: claim("orch.io/pvc-protection", "x.io/y") },
      claim("orch.io/pvc-protection", "x.io/y"),
    ],
    [
      "a claim with the volumes' finalizer",
      { ...CLAIM, object: claim("orch.io/pv-protection") },
      claim("orch.io/pv-protection", "orch.io/pvc-protection"),
    ],
    ["a claim whose list is empty", { ...CLAIM, object: claim() }, claim("orch.io/pvc-protection")],
    [
      "a claim without metadata",
      { ...CLAIM, object: { spec: {} } },
      { metadata: { finalizers: ["orch.io/pvc-protection"] }, spec: {} },
    ],
    [
      "a dry run of a claim",
      { ...CLAIM, dryRun: true },
      { metadata: { name: "a", finalizers: ["orch.io/pvc-protection"] }, spec: {} },
    ],
    ["an update of a claim", { ...CLAIM, operation: "UPDATE", oldObject: CLAIM.object }, CLAIM.object],
    ["the status of a claim", { ...CLAIM, subresource: "status" }, CLAIM.object],
    ["a claim of another group", { ...CLAIM, group: "stable.example.com" }, CLAIM.object],
    ["something else", { plural: "configmaps", object: CLAIM.object }, CLAIM.object],
    ["a deletion", { ...CLAIM, operation: "DELETE", object: undefined, oldObject: CLAIM.object }, undefined],
  ])("%s", async (_what, parts, object) => {
    expect(await ask(parts)).toEqual({ object });
  });

  test("says what Kubernetes clients wait for in the Kubernetes vocabulary", async () => {
    const field = chainWith({
      plugins: [storageObjectInUseProtection],
      dependencies: { vocabulary: vocabularyOf("kubernetes") },
    });
    expect(await field.ask(CLAIM)).toEqual({
      object: { metadata: { name: "a", finalizers: ["kubernetes.io/pvc-protection"] }, spec: {} },
    });
  });

  test("decides the same of what it has changed", async () => {
    const first = await ask(CLAIM);
    expect(await ask({ ...CLAIM, object: (first as { object: JsonObject }).object })).toEqual(first);
  });

  test("switched off, changes nothing", async () => {
    expect(await chainWith({ plugins: [] }).ask(CLAIM)).toEqual({ object: CLAIM.object });
  });
});

describe("DefaultStorageClass", () => {
  const DEFAULT = { annotations: { "storageclass.orch.io/is-default-class": "true" } };
  const BETA = { annotations: { "storageclass.beta.orch.io/is-default-class": "true" } };
  const given = (storageClassName: string | null): JsonObject => ({
    metadata: { name: "a" },
    spec: { storageClassName },
  });
  const got = (storageClassName: string, more: JsonObject = {}): Answer => ({
    object: { metadata: { name: "a", ...more }, spec: { storageClassName } },
  });
  const refused = (count: number): Answer => ({
    refused: {
      code: 403,
      message: `persistentvolumeclaims "a" is forbidden: ${count} default StorageClasses were found, only 1 allowed`,
    },
  });
  const UNCHANGED: Answer = { object: CLAIM.object };
  const annotated = { metadata: { name: "a", annotations: { "volume.beta.orch.io/storage-class": "" } }, spec: {} };

  test.each<[string, readonly JsonObject[], RequestParts, Answer]>([
    ["there is none", [], CLAIM, UNCHANGED],
    ["no class is the default", [storageClass("x"), storageClass("y")], CLAIM, UNCHANGED],
    ["one class is", [storageClass("x"), storageClass("y", DEFAULT)], CLAIM, got("y")],
    ["one class is by the older annotation", [storageClass("x"), storageClass("y", BETA)], CLAIM, got("y")],
    [
      "one class is by both annotations",
      [storageClass("y", { annotations: { ...DEFAULT.annotations, ...BETA.annotations } })],
      CLAIM,
      got("y"),
    ],
    [
      "the annotation says false",
      [storageClass("y", { annotations: { "storageclass.orch.io/is-default-class": "false" } })],
      CLAIM,
      UNCHANGED,
    ],
    [
      "the annotation says True",
      [storageClass("y", { annotations: { "storageclass.orch.io/is-default-class": "True" } })],
      CLAIM,
      UNCHANGED,
    ],
    [
      "the annotation is that of Kubernetes",
      [storageClass("y", { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } })],
      CLAIM,
      UNCHANGED,
    ],
    [
      "the older annotation says so though the newer does not",
      [storageClass("y", { annotations: { "storageclass.orch.io/is-default-class": "false", ...BETA.annotations } })],
      CLAIM,
      got("y"),
    ],
    ["two are", [storageClass("x", DEFAULT), storageClass("y", DEFAULT)], CLAIM, refused(2)],
    ["two are, by one annotation each", [storageClass("x", BETA), storageClass("y", DEFAULT)], CLAIM, refused(2)],
    ["three are", ["x", "y", "z"].map((name) => storageClass(name, DEFAULT)), CLAIM, refused(3)],
    ["the claim names one", [storageClass("y", DEFAULT)], { ...CLAIM, object: given("x") }, { object: given("x") }],
    [
      "the claim names one, and two are the default",
      [storageClass("x", DEFAULT), storageClass("y", DEFAULT)],
      { ...CLAIM, object: given("z") },
      { object: given("z") },
    ],
    ["the claim wants none", [storageClass("y", DEFAULT)], { ...CLAIM, object: given("") }, { object: given("") }],
    ["the claim names null", [storageClass("y", DEFAULT)], { ...CLAIM, object: given(null) }, got("y")],
    [
      "the claim's annotation names none",
      [storageClass("y", DEFAULT)],
      { ...CLAIM, object: annotated },
      { object: annotated },
    ],
    [
      "the claim has no specification",
      [storageClass("y", DEFAULT)],
      { ...CLAIM, object: { metadata: { name: "a" } } },
      got("y"),
    ],
    ["it is a dry run", [storageClass("y", DEFAULT)], { ...CLAIM, dryRun: true }, got("y")],
    [
      "the claim is being updated",
      [storageClass("y", DEFAULT)],
      { ...CLAIM, operation: "UPDATE", oldObject: CLAIM.object },
      UNCHANGED,
    ],
    ["it is the claim's status", [storageClass("y", DEFAULT)], { ...CLAIM, subresource: "status" }, UNCHANGED],
    [
      "it is a claim of another group",
      [storageClass("y", DEFAULT)],
      { ...CLAIM, group: "stable.example.com" },
      UNCHANGED,
    ],
    ["it is a volume", [storageClass("y", DEFAULT)], { ...CLAIM, plural: "persistentvolumes" }, UNCHANGED],
  ])("where %s", async (_what, classes, parts, answer) => {
    expect(
      await chainWith({ plugins: [defaultStorageClass], dependencies: storedObjects(classes) }).ask(parts),
    ).toEqual(answer);
  });

  const SAME = [storageClass("z", DEFAULT), storageClass("x", DEFAULT), storageClass("y", DEFAULT)];
  const NEWER = [
    storageClass("x", DEFAULT),
    storageClass("y", { ...DEFAULT, made: "2026-01-01T00:00:01Z" }),
    storageClass("z", DEFAULT),
  ];

  test.each<[string, string, readonly JsonObject[], Answer]>([
    ["1.15", "are refused", NEWER, refused(3)],
    ["1.25", "are refused", NEWER, refused(3)],
    ["1.26", "give way to the newest", NEWER, got("y")],
    ["1.26", "of one age give way to the first name", SAME, got("x")],
  ])("in %s several default classes %s", async (release, _what, classes, answer) => {
    const dependencies = { release, ...storedObjects(classes) };
    expect(await chainWith({ plugins: [defaultStorageClass], dependencies }).ask(CLAIM)).toEqual(answer);
  });

  test.each(["true", "false"])("the Kubernetes vocabulary has its own annotations: %s", async (value) => {
    const object = storageClass("y", { annotations: { "storageclass.kubernetes.io/is-default-class": value } });
    const dependencies = {
      vocabulary: vocabularyOf("kubernetes"),
      ...storedObjects([{ ...object, apiVersion: "storage.k8s.io/v1" }]),
    };
    const answer = await chainWith({ plugins: [defaultStorageClass], dependencies }).ask(CLAIM);
    expect(answer).toEqual(value === "true" ? got("y") : UNCHANGED);
  });

  test("switched off, changes nothing", async () => {
    const dependencies = storedObjects([storageClass("y", DEFAULT)]);
    expect(await chainWith({ plugins: [], dependencies }).ask(CLAIM)).toEqual(UNCHANGED);
  });
});

describe("PersistentVolumeClaimResize", () => {
  const CLASSES = [
    storageClass("grows", { allowVolumeExpansion: true }),
    storageClass("stays", { allowVolumeExpansion: false }),
    storageClass("silent"),
  ];
  const { ask } = chainWith({ plugins: [persistentVolumeClaimResize], dependencies: storedObjects(CLASSES) });

  interface ClaimParts {
    readonly size?: string;
    readonly phase?: string;
    readonly of?: string | null;
    readonly annotation?: string;
  }

  const claim = ({ size, phase = "Bound", of = "grows", annotation }: ClaimParts): JsonObject => ({
    metadata: {
      name: "a",
      ...(annotation !== undefined && { annotations: { "volume.beta.orch.io/storage-class": annotation } }),
    },
    spec: { storageClassName: of, ...(size !== undefined && { resources: { requests: { storage: size } } }) },
    status: { phase },
  });

  const PASSES = undefined;
  const UNBOUND = "Only bound persistent volume claims can be expanded";
  const FIXED =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";

  test.each<[string, ClaimParts, ClaimParts, string | undefined]>([
    ["from 1Gi to 2Gi", { size: "1Gi" }, { size: "2Gi" }, PASSES],
    ["from nothing to 1Gi", {}, { size: "1Gi" }, PASSES],
    ["by less than a byte", { size: "1" }, { size: "1001m" }, PASSES],
    ["while it is pending", { size: "1Gi", phase: "Pending" }, { size: "2Gi" }, UNBOUND],
    ["while it is lost", { size: "1Gi", phase: "Lost" }, { size: "2Gi" }, UNBOUND],
    [
      "while it has no phase, though it claims one",
      { size: "1Gi", phase: "" },
      { size: "2Gi", phase: "Bound" },
      UNBOUND,
    ],
    ["of a class that does not let it", { size: "1Gi", of: "stays" }, { size: "2Gi", of: "stays" }, FIXED],
    ["of a class that says nothing of it", { size: "1Gi", of: "silent" }, { size: "2Gi", of: "silent" }, FIXED],
    ["of a class that is not there", { size: "1Gi", of: "gone" }, { size: "2Gi", of: "gone" }, FIXED],
    ["without a class", { size: "1Gi", of: "" }, { size: "2Gi", of: "" }, FIXED],
    ["with a class of null", { size: "1Gi", of: null }, { size: "2Gi", of: null }, FIXED],
    ["with another class", { size: "1Gi", of: "stays" }, { size: "2Gi", of: "grows" }, FIXED],
    ["with a class that it had not", { size: "1Gi", of: "" }, { size: "2Gi" }, FIXED],
    [
      "of a class that its annotation names",
      { size: "1Gi", of: null, annotation: "grows" },
      { size: "2Gi", of: null, annotation: "grows" },
      PASSES,
    ],
    [
      "of a class that its annotation names before its field",
      { size: "1Gi", annotation: "stays" },
      { size: "2Gi", annotation: "stays" },
      FIXED,
    ],
    [
      "with the class in the field, that was in the annotation",
      { size: "1Gi", of: null, annotation: "grows" },
      { size: "2Gi" },
      PASSES,
    ],
  ])("a claim that grows %s", async (_how, old, next, why) => {
    const object = claim(next);
    const answer = await ask({ ...CLAIM, operation: "UPDATE", oldObject: claim(old), object });
    const message = `persistentvolumeclaims "a" is forbidden: ${why}`;
    expect(answer).toEqual(why === undefined ? { object } : { refused: { code: 403, message } });
  });

  test.each<[string, RequestParts, ClaimParts, ClaimParts]>([
    ["that stays as large", {}, { size: "1Gi", phase: "Pending" }, { size: "1024Mi", phase: "Pending" }],
    ["that shrinks, which its own rules see to", {}, { size: "2Gi", of: "stays" }, { size: "1Gi", of: "stays" }],
    ["that asks for nothing any more", {}, { size: "2Gi", of: "stays" }, { of: "stays" }],
    ["whose status is written", { subresource: "status" }, { size: "1Gi", phase: "Pending" }, { size: "2Gi" }],
    ["that is created", { operation: "CREATE" }, {}, { size: "2Gi", of: "stays" }],
    ["of another group", { group: "stable.example.com" }, { size: "1Gi", of: "stays" }, { size: "2Gi", of: "stays" }],
  ])("a claim %s is let be", async (_what, parts, old, next) => {
    const object = claim(next);
    expect(await ask({ ...CLAIM, operation: "UPDATE", oldObject: claim(old), object, ...parts })).toEqual({ object });
  });

  test("switched off, claims grow as they like", async () => {
    const [oldObject, object] = [claim({ size: "1Gi", of: "stays" }), claim({ size: "2Gi", of: "stays" })];
    expect(await chainWith({ plugins: [] }).ask({ ...CLAIM, operation: "UPDATE", oldObject, object })).toEqual({
      object,
    });
  });
});
