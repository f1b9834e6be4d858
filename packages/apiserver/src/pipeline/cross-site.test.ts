import { describe, expect, test } from "@jest/globals";
import type { ApiRequest, ApiResponse } from "@orch/request";
import { crossSite } from "./cross-site";

const ALLOWED = [/^https:\/\/dashboard\.example$/];

function passes(method: string, headers: Readonly<Record<string, string>>, upgraded?: object): boolean {
  let passed = false;
  const request = {
    headers,
    context: { info: { method }, host: "api.example:6443" },
    upgraded,
  } as unknown as ApiRequest;
  try {
    crossSite(ALLOWED)(request, {} as ApiResponse, () => {
      passed = true;
    });
  } catch (error) {
    expect(error).toMatchObject({ code: 403, reason: "Forbidden" });
  }
  return passed;
}

const EVIL = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };

describe("a request is", () => {
  test.each(["POST", "PUT", "PATCH", "DELETE"])("refused when another origin's page sends %s", (method) => {
    for (const site of ["cross-site", "same-site"]) {
      expect(passes(method, { ...EVIL, "sec-fetch-site": site })).toBe(false);
      expect(passes(method, { "sec-fetch-site": site, origin: "null" })).toBe(false);
      expect(passes(method, { "sec-fetch-site": site })).toBe(false);
    }
  });

  test("refused when another origin's page opens a stream", () => expect(passes("GET", EVIL, {})).toBe(false));

  test.each(["GET", "HEAD", "OPTIONS"])(
    "passed when another origin's page reads with %s, whose answer it cannot see",
    (method) => expect(passes(method, EVIL)).toBe(true),
  );

  test.each(["https://evil.example", "null", "https://api.example", "file://", ""])(
    "refused when a browser opens a WebSocket, without more about its page than the origin %p",
    (origin) => expect(passes("GET", { origin, "user-agent": "Mozilla/5.0 (X11)" }, {})).toBe(false),
  );

  test.each<[string, Readonly<Record<string, string>>]>([
    ["its own page in a browser that tells no more", { origin: "https://API.example:6443" }],
    ["a page with a token", { origin: "https://evil.example", authorization: "Bearer x" }],
    [
      "a page with a token in a subprotocol",
      {
        origin: "https://evil.example",
        "sec-websocket-protocol": "base64url.bearer.authorization.orch.io.eA, v5.channel.k8s.io",
      },
    ],
    ["a proxy that tells of itself", { origin: "http://localhost:8001", "x-forwarded-for": "127.0.0.1" }],
    ["a program that names any origin", { origin: "http://localhost", "user-agent": "Go-http-client/1.1" }],
  ])("passed from %s", (_from, headers) =>
    expect(passes("GET", { "user-agent": "Mozilla/5.0 (X11)", ...headers }, {})).toBe(true),
  );

  test.each<[string, Readonly<Record<string, string>>]>([
    ["the server's own pages", { "sec-fetch-site": "same-origin", origin: "https://api.example" }],
    ["the user", { "sec-fetch-site": "none" }],
    ["a program", {}],
    ["a program that names an origin", { origin: "https://api.example:6443" }],
    ["a page of an allowed origin", { "sec-fetch-site": "cross-site", origin: "https://dashboard.example" }],
  ])("passed from %s", (_from, headers) => {
    expect(passes("POST", headers)).toBe(true);
    expect(passes("GET", headers, {})).toBe(true);
  });
});
