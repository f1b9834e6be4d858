import { expect, test } from "@jest/globals";
import type { VocabularyName } from "@orch/schema";
import { signerOf, withSignatures } from "./map-signatures";

const TEXT = `apiVersion: v1
kind: Config
clusters:
- name: ''
  cluster:
    server: https://cluster.example:6443
`;

// Created by another program from the same text and token.
test.each<[VocabularyName, string]>([
  ["orch", "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..S-W5X_1EDNIavER01-KwMgtLZr4V6fXGa4aGyStlM38"],
  ["kubernetes", "eyJhbGciOiJIUzI1NiIsImtpZCI6ImFiY2RlZiJ9..gAY9sMpKa-dcSBJCvEEgPaPs0xWvdZYe1qo_tHLiQbo"],
])("a signature in the vocabulary %s is, to the letter, the one that clients work out", (vocabulary, signature) =>
  expect(signerOf(TEXT, vocabulary)({ id: "abcdef", secret: "0123456789abcdef" })).toBe(signature),
);

const MAP = { kubeconfig: TEXT, note: "kept" };

test.each<[string, object, [string, string][], object | undefined]>([
  ["is added", MAP, [["abcdef", "A"]], { ...MAP, "jws-kubeconfig-abcdef": "A" }],
  [
    "takes the place of another",
    { ...MAP, "jws-kubeconfig-abcdef": "Z" },
    [["abcdef", "A"]],
    { ...MAP, "jws-kubeconfig-abcdef": "A" },
  ],
  [
    "of a token that is gone is dropped",
    { ...MAP, "jws-kubeconfig-abcdef": "A", "jws-kubeconfig-uvwxyz": "B" },
    [["uvwxyz", "B"]],
    { ...MAP, "jws-kubeconfig-uvwxyz": "B" },
  ],
  ["of the last token is dropped", { ...MAP, "jws-kubeconfig-abcdef": "A" }, [], MAP],
  ["is dropped with others that nobody knows", { ...MAP, "jws-kubeconfig-": "", "jws-kubeconfig-X": "y" }, [], MAP],
  ["that is there already changes nothing", { ...MAP, "jws-kubeconfig-abcdef": "A" }, [["abcdef", "A"]], undefined],
  ["is not there, and none is wanted: that changes nothing", MAP, [], undefined],
])("a signature %s", (_what, data, signatures, expected) =>
  expect(withSignatures(data as Record<string, string>, new Map(signatures))).toEqual(expected),
);
