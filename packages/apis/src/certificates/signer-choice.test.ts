import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { pki } from "node-forge";
import { chooseSigner } from "./signer-choice";

const vocabulary = vocabularyOf("orch");
const keys = pki.rsa.generateKeyPair({ bits: 512 });

const EMAIL = { type: 1, value: "a@example.com" };
const DNS = { type: 2, value: "node.example.com" };
const IP = { type: 7, ip: "10.0.0.1" };

function requestFor({
  commonName = "system:node:a",
  organizations = ["system:nodes"],
  altNames = [] as object[],
}): string {
  const csr = pki.createCertificationRequest();
  csr.publicKey = keys.publicKey;
  csr.setSubject([
    { name: "commonName", value: commonName },
    ...organizations.map((value) => ({ name: "organizationName", value })),
  ]);
  if (altNames.length > 0) {
    csr.setAttributes([{ name: "extensionRequest", extensions: [{ name: "subjectAltName", altNames }] } as never]);
  }
  csr.sign(keys.privateKey);
  return Buffer.from(pki.certificationRequestToPem(csr)).toString("base64");
}

const CLIENT = ["client auth", "digital signature", "key encipherment"];
const SERVING = ["server auth", "digital signature", "key encipherment"];
const { apiserverClientAgent: client, agentServing: serving, legacyUnknown: unknown } = vocabulary.signers;

test.each<[string, JsonObject, string]>([
  ["a node's own identity", { request: requestFor({}), usages: CLIENT }, client],
  ["a node that serves", { request: requestFor({ altNames: [DNS, IP] }), usages: SERVING }, serving],
  ["a server without a name", { request: requestFor({}), usages: SERVING }, unknown],
  ["a client with a host's name", { request: requestFor({ altNames: [DNS] }), usages: CLIENT }, unknown],
  ["a server that reads mail", { request: requestFor({ altNames: [DNS, EMAIL] }), usages: SERVING }, unknown],
  ["a node with more usages", { request: requestFor({}), usages: [...CLIENT, "server auth"] }, unknown],
  ["somebody else", { request: requestFor({ commonName: "ann" }), usages: CLIENT }, unknown],
  [
    "a node of more groups",
    { request: requestFor({ organizations: ["system:nodes", "dev"] }), usages: CLIENT },
    unknown,
  ],
  ["what is no request", { request: "bm8=", usages: CLIENT }, unknown],
  ["who says it", { request: requestFor({}), usages: CLIENT, signerName: "example.com/me" }, "example.com/me"],
])("%s is signed by its own signer", (_, spec, expected) => {
  const object: JsonObject = { spec };
  chooseSigner(object, vocabulary);
  expect((object["spec"] as JsonObject)["signerName"]).toBe(expected);
});
