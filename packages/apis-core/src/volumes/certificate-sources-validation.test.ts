// Projected sources with certificates, which no release enables by default.
import { describe, expect, test } from "@jest/globals";
import { validator } from "@orch/apis-model";
import { field } from "@orch/machinery";
import { type coreV1, type JsonObject, vocabularyOf } from "@orch/schema";
import { volumes } from "./volumes-validation";

const validate = validator<{ readonly volumes: readonly coreV1.Volume[] }>((pod, at, report) =>
  volumes(pod.volumes, "pod", at.field("volumes"), report),
);

function errorsOf(...sources: readonly object[]): readonly string[] {
  const pod = { volumes: [{ name: "v", projected: { sources } }] } as unknown as JsonObject;
  const context = { vocabulary: vocabularyOf("orch"), version: { group: "", version: "v1" } };
  return validate(pod, context).map((error) => {
    return `${error.path.replace("volumes[0].projected.sources", "")} ${field.fieldErrorReason(error)}`;
  });
}

const bundle = (parts: object) => ({ clusterTrustBundle: { path: "ca.pem", ...parts } });
const certificate = (parts: object = {}) => ({
  podCertificate: { signerName: "example.com/signer", keyType: "ED25519", keyPath: "key.pem", ...parts },
});

describe("a trust bundle", () => {
  test.each<[what: string, parts: object, errors: readonly string[]]>([
    ["a name", { name: "b" }, []],
    ["a signer and labels", { signerName: "example.com/signer", labelSelector: { matchLabels: { a: "b" } } }, []],
    ["neither", {}, ["[0].clusterTrustBundle FieldValueRequired"]],
    ["both", { name: "b", signerName: "example.com/s" }, ["[0].clusterTrustBundle FieldValueInvalid"]],
    ["an empty name", { name: "" }, ["[0].clusterTrustBundle.name FieldValueRequired"]],
    ["a name and labels", { name: "b", labelSelector: {} }, ["[0].clusterTrustBundle.labelSelector FieldValueInvalid"]],
    ["an invalid signer", { signerName: "s" }, ["[0].clusterTrustBundle.signerName FieldValueInvalid"]],
    ["no path", { name: "b", path: "" }, ["[0].clusterTrustBundle.path FieldValueRequired"]],
    ["a path that leaves the volume", { name: "b", path: "../a" }, ["[0].clusterTrustBundle.path FieldValueInvalid"]],
  ])("with %s", (_what, parts, errors) => expect(errorsOf(bundle(parts))).toEqual(errors));
});

describe("a pod certificate", () => {
  test.each<[what: string, parts: object, errors: readonly string[]]>([
    ["a key", {}, []],
    ["no file", { keyPath: "" }, ["[0].podCertificate FieldValueRequired"]],
    ["an unknown key type", { keyType: "DSA" }, ["[0].podCertificate.keyType FieldValueNotSupported"]],
    ["no signer", { signerName: "" }, ["[0].podCertificate.signerName FieldValueRequired"]],
    ["a short lifetime", { maxExpirationSeconds: 60 }, ["[0].podCertificate.maxExpirationSeconds FieldValueInvalid"]],
    ["a long lifetime", { maxExpirationSeconds: 1e9 }, ["[0].podCertificate.maxExpirationSeconds FieldValueInvalid"]],
  ])("with %s", (_what, parts, errors) => expect(errorsOf(certificate(parts))).toEqual(errors));
});

test("sources with the same path conflict", () => {
  expect(errorsOf(bundle({ name: "b", path: "key.pem" }), certificate())).toEqual([
    "volumes[0].projected FieldValueInvalid",
  ]);
});
