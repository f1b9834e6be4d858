// Secrets in texts of a support bundle.
import { expect, test } from "@jest/globals";
import { withoutSecrets } from "./secret-texts";

test.each([
  ["-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY----- after", "[removed] after"],
  ["-----BEGIN EC PRIVATE KEY-----\nMIGH cut", "[removed]"],
  ["user eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln end", "user [removed] end"],
  ["token abcdef.0123456789abcdef", "token [removed]"],
  ["Authorization: Bearer a.b-c_d", "Authorization: Bearer [removed]"],
  ["https://ann:pass@host:1/x", "https://[removed]@host:1/x"],
  ["https://127.0.0.1:6443/docs#token=abc123_-", "https://127.0.0.1:6443/docs#token=[removed]"],
  ['{"password": "hunter22"}', '{"password": "[removed]"}'],
  ["--token-auth-file=tokens.csv --v=2", "--token-auth-file=tokens.csv --v=2"],
  ["etcd-1.example.com:2379 v1.23.0", "etcd-1.example.com:2379 v1.23.0"],
])("%j is cleaned", (text, expected) => {
  expect(withoutSecrets(text)).toBe(expected);
});

test("known credentials are removed wherever they occur", () => {
  expect(withoutSecrets("a my-own-token b my-own-token", ["my-own-token\n", "short"])).toBe("a [removed] b [removed]");
});
