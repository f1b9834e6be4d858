import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { type KeyAndCertificate, makeCertificate, type Usage } from "@orch/platform";
import { credentials } from "../testing/credentials";
import { unionOf } from "./authenticator";
import { ClientCertificateAuthenticator } from "./client-certificate";
import { RequestHeaderAuthenticator, type RequestHeaderOptions } from "./request-headers";

const NOW_MS = Date.now();
const YEAR_MS = 365 * 86_400_000;

const made = (commonName: string, usage: Usage, issuer?: KeyAndCertificate): KeyAndCertificate =>
  makeCertificate({ subject: { commonName, organizations: ["proxies"] }, usage, issuer, nowMs: NOW_MS });

const proxies = made("proxies", { kind: "authority" });
const clients = made("clients", { kind: "authority" });
const proxy = made("front", { kind: "client" }, proxies);

const OPTIONS: RequestHeaderOptions = {
  caPem: proxies.certificate,
  allowedNames: [],
  usernameHeaders: ["X-Remote-User", "X-Other-User"],
  uidHeaders: ["X-Remote-Uid"],
  groupHeaders: ["X-Remote-Group", "X-Other-Group"],
  extraHeaderPrefixes: ["X-Remote-Extra-", "Acme-"],
};

const ask = (
  rawHeaders: readonly string[],
  options: Partial<RequestHeaderOptions> = {},
  shown: KeyAndCertificate | undefined = proxy,
) =>
  new RequestHeaderAuthenticator({ ...OPTIONS, ...options }).authenticate(
    credentials({ rawHeaders, certificate: shown && new X509Certificate(shown.certificate) }),
  );

const utf8 = (text: string) => Buffer.from(text).toString("latin1");
const ANN = ["X-Remote-User", "ann"];

test("a proxy is known by a renewed authority, though the expired one of the same name and key stands before it", () => {
  const subject = { commonName: "proxies", organizations: ["proxies"] };
  const usage = { kind: "authority" } as const;
  const expired = makeCertificate({ subject, usage, nowMs: NOW_MS - 11 * YEAR_MS, kept: proxies.key });
  expect(ask(ANN, { caPem: expired.certificate })).toMatchObject({ kind: "failed" });
  expect(ask(ANN, { caPem: expired.certificate + proxies.certificate })).toMatchObject({ kind: "authenticated" });
});

describe("a proxy that has shown who it is", () => {
  test.each<[string, readonly string[], object]>([
    ["names a user", ANN, { name: "ann", groups: [] }],
    [
      "writes headers in any case",
      ["x-REMOTE-user", "ann", "X-REMOTE-GROUP", "devs"],
      { name: "ann", groups: ["devs"] },
    ],
    [
      "names groups, one a header",
      [...ANN, "X-Remote-Group", "a, b", "X-Other-Group", "c", "X-Remote-Group", "d"],
      { name: "ann", groups: ["a, b", "d", "c"] },
    ],
    [
      "names the user in the first header that has a value",
      ["X-Other-User", "bob", "X-Remote-User", ""],
      { name: "bob", groups: [] },
    ],
    ["tells a uid", [...ANN, "X-Remote-Uid", "17"], { name: "ann", uid: "17", groups: [] }],
    [
      "tells more, under keys in lower case that are percent-decoded",
      [
        ...ANN,
        "X-Remote-Extra-Acme.com%2FProject",
        "p",
        "x-remote-extra-acme.com%2fproject",
        "q",
        "Acme-Scopes",
        "r",
        "acme-bad%zz",
        "s",
      ],
      { name: "ann", groups: [], extra: { "acme.com/project": ["p", "q"], scopes: ["r"], "bad%zz": ["s"] } },
    ],
    [
      "writes UTF-8",
      ["X-Remote-User", utf8("jörg 🙂"), "X-Remote-Group", "caf\u00e9"],
      { name: "jörg 🙂", groups: ["café"] },
    ],
    [
      "may name whomever it knows",
      [...ANN, "X-Remote-Group", "system:masters"],
      { name: "ann", groups: ["system:masters"] },
    ],
  ])("%s", (_behaviour, headers, user) => expect(ask(headers)).toEqual({ kind: "authenticated", user }));

  test.each<[string, readonly string[]]>([
    ["names nobody", []],
    ["names groups alone", ["X-Remote-Group", "system:masters"]],
    ["names a user without a name", ["X-Remote-User", "", "X-Other-User", ""]],
    ["writes other headers", ["X_Remote_User", "ann", "Remote-User", "ann"]],
  ])("is believed nothing where it %s", (_behaviour, headers) =>
    expect(ask(headers)).toEqual({ kind: "notApplicable" }),
  );
});

describe("is not believed", () => {
  const refused = (why: string) => ({ kind: "failed", reason: expect.stringContaining(why) });

  test.each<[string, KeyAndCertificate | undefined, Partial<RequestHeaderOptions>, object]>([
    ["who shows no certificate", undefined, {}, { kind: "notApplicable" }],
    [
      "who shows one of another authority",
      made("front", { kind: "client" }, clients),
      {},
      refused("unknown authority"),
    ],
    ["who shows one that it has signed itself", made("front", { kind: "authority" }), {}, refused("unknown authority")],
    [
      "who shows one that is not for clients",
      made("front", { kind: "server", names: [] }, proxies),
      {},
      refused("not valid for client"),
    ],
    ["whose certificate has ended", proxy, { nowMs: () => NOW_MS + 30 * YEAR_MS }, refused("has expired")],
    ["whose certificate is not valid yet", proxy, { nowMs: () => NOW_MS - YEAR_MS }, refused("not valid yet")],
    [
      "whose name is none of those allowed",
      proxy,
      { allowedNames: ["other", "Front"] },
      refused('"front" is not one of the allowed names'),
    ],
  ])("%s", (_behaviour, shown, options, outcome) => {
    // An explicitly undefined option replaces its default.
    const authenticator = new RequestHeaderAuthenticator({ ...OPTIONS, ...options });
    const certificate = shown && new X509Certificate(shown.certificate);
    expect(authenticator.authenticate(credentials({ rawHeaders: ANN, certificate }))).toEqual(outcome);
  });

  test("a client with its own certificate that names another user", () => {
    const both = unionOf([
      new RequestHeaderAuthenticator(OPTIONS),
      new ClientCertificateAuthenticator({ caPem: clients.certificate }),
    ]);
    const certificate = new X509Certificate(made("bob", { kind: "client" }, clients).certificate);
    expect(both.authenticate(credentials({ rawHeaders: ANN, certificate }))).toMatchObject({
      kind: "authenticated",
      user: { name: "bob", groups: ["proxies", "system:authenticated"] },
    });
    // The proxy's certificate does not authenticate it as a client either.
    const alone = new X509Certificate(proxy.certificate);
    expect(both.authenticate(credentials({ certificate: alone }))).toMatchObject({ kind: "failed" });
  });

  test("a proxy whose authority is not trusted any more, on an open connection", () => {
    const authenticator = new RequestHeaderAuthenticator({ ...OPTIONS, allowedNames: ["front"] });
    const request = credentials({ rawHeaders: ANN, certificate: new X509Certificate(proxy.certificate) });
    expect(authenticator.authenticate(request).kind).toBe("authenticated");
    authenticator.replaceCa(clients.certificate);
    expect(authenticator.authenticate(request).kind).toBe("failed");
    expect(() => authenticator.replaceCa("nothing")).toThrow("no certificate found");
  });
});
