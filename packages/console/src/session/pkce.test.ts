import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { base64url, newProofKey, randomText } from "./pkce";

test("a proof key is the hash of its verifier", async () => {
  const { verifier, challenge } = await newProofKey();
  expect(verifier).toMatch(/^[\w-]{43}$/);
  expect(challenge).toBe(createHash("sha256").update(verifier).digest("base64url"));
});

test("texts are random, and have no characters that addresses escape", () => {
  expect(randomText()).not.toBe(randomText());
  expect(base64url(Uint8Array.of(251, 255, 254))).toBe("-__-");
});
