import { expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { type RequestParts, requestField } from "@orch/testing";
import type { CertificateRequest } from "../../framework/signing-requests";
import { recognizersOf } from "./recognizers";

const vocabulary = vocabularyOf("orch");
const USAGES = ["key encipherment", "digital signature", "client auth"];
const node: NonNullable<RequestParts["subject"]> = [
  ["O", "system:nodes"],
  ["CN", "system:node:a"],
];

const request = (parts: RequestParts, spec: object = {}): CertificateRequest => ({
  metadata: { name: "r" },
  spec: {
    request: requestField({ subject: node, ...parts }),
    usages: USAGES as never,
    signerName: vocabulary.signers.apiserverClientAgent,
    username: "system:bootstrap:abcdef",
    ...spec,
  },
});

test.each<[string, CertificateRequest, string[]]>([
  ["a new node", request({}), ["nodeclient"]],
  ["a node that renews", request({}, { username: "system:node:a" }), ["selfnodeclient", "nodeclient"]],
  ["another node", request({}, { username: "system:node:b" }), ["nodeclient"]],
  [
    "a node under two names",
    request({ subject: [...node, ["CN", "system:node:b"]] }, { username: "system:node:a" }),
    ["nodeclient"],
  ],
  ["another signer", request({}, { signerName: vocabulary.signers.apiserverClient }), []],
  ["a serving node", request({}, { signerName: vocabulary.signers.agentServing }), []],
  ["a node of more groups", request({ subject: [...node, ["O", "dev"]] }), []],
  [
    "somebody else",
    request({
      subject: [
        ["O", "system:nodes"],
        ["CN", "ann"],
      ],
    }),
    [],
  ],
  ["a name beside the node's", request({ names: [["dns", "a.example.com"]] }), []],
  ["fewer usages", request({}, { usages: USAGES.slice(1) }), []],
  ["more usages", request({}, { usages: [...USAGES, "server auth"] }), []],
])("%s", (_what, asked, expected) => {
  expect(recognizersOf(asked, vocabulary).map(({ subresource }) => subresource)).toEqual(expected);
});

test("an unreadable request is an error", () => {
  expect(() => recognizersOf(request({}, { request: "bm8=" }), vocabulary)).toThrow(
    "contains no valid certificate signing request",
  );
});
