import { createSecureContext } from "node:tls";
import { expect, test } from "@jest/globals";
import { openSslSuites } from "./cipher-suites";

test.each<[string[], string | undefined]>([
  [[], undefined],
  [["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"], "ECDHE-RSA-AES128-GCM-SHA256"],
  [
    ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"],
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256",
  ],
  [
    ["TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"],
    "TLS_AES_128_GCM_SHA256:ECDHE-ECDSA-AES128-GCM-SHA256",
  ],
])("the suites %j are those of OpenSSL", (names, expected) => {
  const ciphers = openSslSuites(names);
  expect(ciphers).toBe(expected);
  expect(() => createSecureContext({ ciphers })).not.toThrow();
});

test("an unknown suite is told", () => {
  expect(() => openSslSuites(["NOTHING"])).toThrow('--tls-cipher-suites: "NOTHING" is unknown');
});
