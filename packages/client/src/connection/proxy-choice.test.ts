import { describe, expect, test } from "@jest/globals";
import { proxyOf } from "./proxy-choice";

const PROXY = "http://proxy:3128/";
const chosen = (server: string, environment: Readonly<Record<string, string>>) =>
  proxyOf({ kind: "environment" }, new URL(server), environment)?.href;

describe("the environment", () => {
  test.each([
    ["https://api", { HTTPS_PROXY: "http://proxy:3128" }, PROXY],
    ["https://api", { https_proxy: "http://proxy:3128" }, PROXY],
    ["https://api", { HTTPS_PROXY: "http://proxy:3128", https_proxy: "http://other" }, PROXY],
    ["https://api", { HTTP_PROXY: "http://proxy:3128" }, undefined],
    ["http://api", { HTTP_PROXY: "http://proxy:3128", HTTPS_PROXY: "http://other" }, PROXY],
    ["http://api", { HTTP_PROXY: "http://proxy:3128", REQUEST_METHOD: "GET" }, undefined],
    ["https://api", { HTTPS_PROXY: "proxy:3128" }, PROXY],
    ["https://api", { HTTPS_PROXY: "socks5://proxy:1080" }, "socks5://proxy:1080"],
    ["https://api", { HTTPS_PROXY: "" }, undefined],
    ["https://localhost", { HTTPS_PROXY: PROXY }, undefined],
    ["https://127.1.2.3", { HTTPS_PROXY: PROXY }, undefined],
    ["https://[::1]", { HTTPS_PROXY: PROXY }, undefined],
    ["https://api", { ALL_PROXY: PROXY }, undefined],
  ])("leads to %s with %j through %s", (server, environment, proxy) => {
    expect(chosen(server, environment)).toBe(proxy);
  });

  test.each([
    ["*", "https://api.example.com", true],
    ["example.com", "https://example.com", true],
    ["example.com", "https://api.example.com", true],
    ["example.com", "https://badexample.com", false],
    [".example.com", "https://api.example.com", true],
    [".example.com", "https://example.com", false],
    ["*.example.com", "https://api.example.com", true],
    ["*.example.com", "https://example.com", false],
    ["EXAMPLE.com", "https://API.Example.COM", true],
    ["example.com:443", "https://example.com", true],
    ["example.com:6443", "https://example.com", false],
    ["example.com:6443", "https://example.com:6443", true],
    ["10.0.0.0/8", "https://10.1.2.3:6443", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.0.0.0/99", "https://10.1.2.3", false],
    ["10.0.0.0/8", "https://ten.example.com", false],
    ["10.1.2.3", "https://10.1.2.3:6443", true],
    ["10.1.2.3:443", "https://10.1.2.3:6443", false],
    ["fd00::/8", "https://[fd00::1]:6443", true],
    ["fd00::1", "https://[fd00::1]", true],
    ["[fd00::1]:6443", "https://[fd00::1]:6443", true],
    ["[fd00::1]:6443", "https://[fd00::1]", false],
    [" , other ,, example.com ", "https://example.com", true],
    ["", "https://example.com", false],
  ])("with NO_PROXY %j and %s connects directly: %s", (noProxy, server, isDirect) => {
    expect(chosen(server, { HTTPS_PROXY: PROXY, NO_PROXY: noProxy }) === undefined).toBe(isDirect);
    expect(chosen(server, { HTTPS_PROXY: PROXY, no_proxy: noProxy }) === undefined).toBe(isDirect);
  });

  test("that names no proxy is an error without its content", () => {
    expect(() => chosen("https://api", { HTTPS_PROXY: "http://u:secret@[" })).toThrow(
      /^HTTPS_PROXY is not the URL of a proxy$/,
    );
  });
});

test("a proxy of the configuration is used for every server", () => {
  const url = "http://u:p@proxy:3128";
  expect(proxyOf({ kind: "url", url }, new URL("https://127.0.0.1"), { NO_PROXY: "*" })?.host).toBe("proxy:3128");
  expect(proxyOf(undefined, new URL("https://api"), { HTTPS_PROXY: PROXY })).toBeUndefined();
});
