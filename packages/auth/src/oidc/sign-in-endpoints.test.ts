import { expect, test } from "@jest/globals";
import { originOf, signInEndpoints } from "./sign-in-endpoints";

const AUTHORIZATION = "https://login.test/authorize?tenant=a";
const TOKEN = "https://tokens.test:8443/token";

test("the endpoints of a document are known, and whether refresh tokens are granted", () => {
  const document = { authorization_endpoint: AUTHORIZATION, token_endpoint: TOKEN };
  expect(signInEndpoints(document)).toEqual({ authorization: AUTHORIZATION, token: TOKEN, offersRefresh: false });
  const offering = { ...document, scopes_supported: ["openid", "offline_access"] };
  expect(signInEndpoints(offering)?.offersRefresh).toBe(true);
});

test.each([
  [undefined],
  [7],
  ["token"],
  ["http://tokens.test/token"],
  ["javascript:alert(1)"],
  ["https://user:secret@tokens.test/token"],
  [`https://tokens.test/${"x".repeat(3000)}`],
  ["https://tokens.test;script-src%20x/token"],
])("a document with the token endpoint %p has none", (endpoint) => {
  const document = {
    authorization_endpoint: AUTHORIZATION,
    ...(endpoint === undefined ? {} : { token_endpoint: endpoint }),
  };
  expect(signInEndpoints(document)).toBeUndefined();
});

test.each([
  ["https://Login.Test:443/a b", "https://login.test"],
  ["https://[::1]:8443/", "https://[::1]:8443"],
  ["https://a;b.test/", undefined],
  ["https://a,b.test/", undefined],
  ["https://a'b.test/", undefined],
  ["https://*.test/", undefined],
  ["https://grün.test/", "https://xn--grn-ioa.test"],
])("the origin of %s in a policy is %p", (address, origin) => expect(originOf(address)).toBe(origin));
