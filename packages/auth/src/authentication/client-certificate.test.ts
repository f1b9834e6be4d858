import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";
import { describe, expect, jest, test } from "@jest/globals";
import { makeCertificate } from "@orch/platform";
import { asn1, jsbn, md, pki } from "node-forge";
import { identityOf } from "../certificates/revocation-list";
import { credentials } from "../testing/credentials";
import type { AuthenticationOutcome } from "./authenticator";
import { ClientCertificateAuthenticator } from "./client-certificate";

interface Issued {
  readonly pem: string;
  readonly key: KeyObject;
  readonly subject: Subject;
}

type Subject = readonly { readonly shortName: string; readonly value: string }[];
type Extensions = readonly object[];

interface IssueOptions {
  readonly key?: KeyObject;
  readonly publicKey?: pki.PublicKey;
  readonly version?: 1 | 3;
}

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();
const AUTHORITY = { name: "basicConstraints", cA: true, critical: true };
const CLIENT = { name: "extKeyUsage", clientAuth: true };

const ca = issue([cn("clients")], [AUTHORITY]);
const impostor = issue([cn("clients")], [AUTHORITY]);
const ann = [cn("ann"), org("devs"), org("ops")];
const authenticated = { kind: "authenticated", user: { name: "ann", groups: ["devs", "ops", "system:authenticated"] } };

describe("a client certificate", () => {
  test.each<[string, Issued, object]>([
    ["is the user of its common name, in the groups of its organizations", issue(ann, [CLIENT], ca), authenticated],
    ["may be for any use", issue(ann, [], ca), authenticated],
    [
      "must be for clients",
      issue(ann, [{ name: "extKeyUsage", serverAuth: true }], ca),
      refused("not valid for client"),
    ],
    ["must be signed by the authority", issue(ann, [CLIENT], impostor), refused("signed by an unknown authority")],
    ["may not be signed by itself", issue(ann, [CLIENT]), refused("signed by an unknown authority")],
    ["names nobody without a common name", issue([org("devs")], [CLIENT], ca), { kind: "notApplicable" }],
    ["counts its last common name", issue([cn("bob"), ...ann], [CLIENT], ca), authenticated],
    [
      "keeps separators inside names as they are",
      issue([cn("a,b+O=x\nO=system:masters"), org("d")], [CLIENT], ca),
      { kind: "authenticated", user: { name: "a,b+O=x\nO=system:masters", groups: ["d", "system:authenticated"] } },
    ],
    [
      "must be understood where it is critical",
      issue(ann, [CLIENT, { id: "1.2.3.4", critical: true, value: "\x05\x00" }], ca),
      refused("critical extension 1.2.3.4 is not supported"),
    ],
  ])("%s", async (_behaviour, { pem, key }, outcome) => {
    expect(authenticate(await presented(pem, key))).toMatchObject(outcome);
  });

  test("is not one that API servers show to node agents", async () => {
    const issuer = makeCertificate({ subject: { commonName: "clients" }, usage: { kind: "authority" }, nowMs: NOW_MS });
    const authenticator = new ClientCertificateAuthenticator({ caPem: issuer.certificate });
    const outcomeOf = async (kind: "client" | "agentClient") => {
      const subject = { commonName: "apiserver", organizations: ["system:masters"] };
      const made = makeCertificate({ subject, usage: { kind }, issuer, nowMs: NOW_MS });
      return authenticate(await presented(made.certificate, createPrivateKey(made.key)), authenticator);
    };
    expect(await outcomeOf("client")).toMatchObject({ kind: "authenticated" });
    expect(await outcomeOf("agentClient")).toMatchObject(refused("valid for calls of node agents only"));
  });

  test("is not needed", () => {
    expect(authenticate(undefined)).toEqual({ kind: "notApplicable" });
  });

  test("counts only within its time, looked at on every request", async () => {
    let nowMs = NOW_MS;
    const authenticator = new ClientCertificateAuthenticator({ caPem: ca.pem, nowMs: () => nowMs });
    const leaf = issue(ann, [CLIENT], ca);
    const certificate = await presented(leaf.pem, leaf.key);
    const at = (ms: number) => {
      nowMs = ms;
      return authenticate(certificate, authenticator).kind;
    };
    expect([at(NOW_MS), at(NOW_MS - 2 * DAY_MS), at(NOW_MS + 2 * DAY_MS), at(NOW_MS)]).toEqual([
      "authenticated",
      "failed",
      "failed",
      "authenticated",
    ]);
  });

  test("stops counting on open connections when its authority is replaced", async () => {
    const authenticator = new ClientCertificateAuthenticator({ caPem: impostor.pem + ca.pem });
    const leaf = issue(ann, [CLIENT], ca);
    const certificate = await presented(leaf.pem, leaf.key);
    expect(authenticate(certificate, authenticator)).toMatchObject(authenticated);
    expect(() => authenticator.replaceCa("no certificate")).toThrow("no certificate found");
    expect(authenticate(certificate, authenticator)).toMatchObject(authenticated);
    authenticator.replaceCa(impostor.pem);
    expect(authenticate(certificate, authenticator).kind).toBe("failed");
  });
});

/** Valid until 2126. No library used here issues certificates with an Ed25519 key. */
const ED25519 = {
  authority: `-----BEGIN CERTIFICATE-----
MIIBUTCCAQOgAwIBAgIUV/XWfnc9Rim6ZD38XLqtaHLGIAswBQYDK2VwMBUxEzAR
BgNVBAMMCmVkLWNsaWVudHMwIBcNMjYxMTIyMjMyMDU5WhgPMjEyNjEwMjkyMzIw
NTlaMBUxEzARBgNVBAMMCmVkLWNsaWVudHMwKjAFBgMrZXADIQAQBNN3nBHj5K6x
K8JKP6MD2JG/UQXDcCV2y2wxoIq+lKNjMGEwHQYDVR0OBBYEFBbf5KIYS+Y2sCa1
hO1gAmGjJRP8MB8GA1UdIwQYMBaAFBbf5KIYS+Y2sCa1hO1gAmGjJRP8MA8GA1Ud
EwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgIEMAUGAytlcANBAGieRWZEce6anX1O
+9fMvPbi7GJOSUTmJcBfC9nSYV0z1flAj2ySe4EmYDHEH7Wqi7+PR0jaPrR+GVP3
UZNiwQs=
-----END CERTIFICATE-----`,
  leaf: `-----BEGIN CERTIFICATE-----
MIIBWDCCAQqgAwIBAgIUDHoolH+vu0NCHlzNjO8EMWqC8bAwBQYDK2VwMBUxEzAR
BgNVBAMMCmVkLWNsaWVudHMwIBcNMjYxMTIyMjMyMDU5WhgPMjEyNjEwMjkyMzIw
NTlaMB0xDTALBgNVBAoMBGRldnMxDDAKBgNVBAMMA2FubjAqMAUGAytlcAMhAC5B
5lLWmXYZCIUYgc++K+XrwOalAKGr3eqHLIuyVEa4o2IwYDATBgNVHSUEDDAKBggr
BgEFBQcDAjAJBgNVHRMEAjAAMB0GA1UdDgQWBBQ68T1Dd9ORa0/2yxUq6xIHi/mG
2TAfBgNVHSMEGDAWgBQW3+SiGEvmNrAmtYTtYAJhoyUT/DAFBgMrZXADQQAnFaWc
cuDyW22Fcge4b19se83r0s619R+NftFpwKlFVmZik+rZR21RoTHOhvxynK/z0JnF
NEYMqAe5CaihqLQK
-----END CERTIFICATE-----`,
};

test.each([
  ["RSA", () => ({ caPem: ca.pem, leaf: issue(ann, [CLIENT], ca).pem })],
  [
    "ECDSA",
    () => {
      const authority = makeCertificate({ subject: { commonName: "c" }, usage: { kind: "authority" }, nowMs: NOW_MS });
      const subject = { commonName: "ann", organizations: ["devs", "ops"] };
      const leaf = makeCertificate({ subject, usage: { kind: "client" }, issuer: authority, nowMs: NOW_MS });
      return { caPem: authority.certificate, leaf: leaf.certificate };
    },
  ],
  ["Ed25519", () => ({ caPem: ED25519.authority, leaf: ED25519.leaf })],
])("a certificate signed with %s counts, beside authorities of other kinds", (_kind, made) => {
  const { caPem, leaf } = made();
  const authenticator = new ClientCertificateAuthenticator({ caPem: `${impostor.pem}${caPem}\n${ED25519.authority}` });
  const outcome = authenticator.authenticate(credentials({ certificate: new X509Certificate(leaf) }));
  expect(outcome).toMatchObject({ kind: "authenticated", user: { name: "ann" } });
});

describe("an authority with several certificates of one name and key", () => {
  const LIFE_DAYS = 3650;
  const at = (nowMs: number, kept?: string) =>
    makeCertificate({ subject: { commonName: "c" }, usage: { kind: "authority" }, nowMs, kept });
  const renewed = at(NOW_MS);
  const expired = at(NOW_MS - (LIFE_DAYS + 1) * DAY_MS, renewed.key);
  const future = at(NOW_MS + 2 * DAY_MS, renewed.key);
  const leaf = makeCertificate({
    ...{ subject: { commonName: "ann" }, usage: { kind: "client" }, issuer: renewed, nowMs: NOW_MS },
  });
  const outcome = (authorities: readonly { readonly certificate: string }[], isRevoked?: () => boolean) => {
    const caPem = authorities.map(({ certificate }) => certificate).join("");
    const authenticator = new ClientCertificateAuthenticator({ caPem, isRevoked });
    return authenticate(new X509Certificate(leaf.certificate), authenticator);
  };

  test.each<[string, Parameters<typeof outcome>[0]]>([
    ["the expired one first", [expired, renewed]],
    ["the expired one last", [renewed, expired]],
    ["one that is not valid yet", [future, expired, renewed]],
  ])("is trusted by the one that is valid: %s", (_order, authorities) => {
    expect(outcome(authorities)).toMatchObject({ kind: "authenticated", user: { name: "ann" } });
  });

  test.each<[string, Parameters<typeof outcome>[0]]>([
    ["has expired", [expired]],
    ["is not valid yet", [future]],
    ["is not valid yet", [future, expired]],
  ])("is trusted no more when none is valid: %s", (reason, authorities) => {
    expect(outcome(authorities)).toMatchObject(refused(reason));
  });

  test("goes on past the end of one of them", () => {
    let nowMs = NOW_MS;
    const second = at(NOW_MS + 100 * DAY_MS, renewed.key);
    const caPem = expired.certificate + renewed.certificate + second.certificate;
    const authenticator = new ClientCertificateAuthenticator({ caPem, nowMs: () => nowMs });
    const late = makeCertificate({
      ...{ subject: { commonName: "ann" }, usage: { kind: "client" }, issuer: renewed },
      nowMs: NOW_MS + 3600 * DAY_MS,
    });
    const certificate = new X509Certificate(late.certificate);
    nowMs = NOW_MS + 3640 * DAY_MS;
    expect(authenticate(certificate, authenticator).kind).toBe("authenticated");
    nowMs = NOW_MS + 3660 * DAY_MS;
    expect(authenticate(certificate, authenticator).kind).toBe("authenticated");
  });

  test("is trusted by one while another is revoked", () => {
    const serial = (of: { readonly certificate: string }) =>
      new X509Certificate(of.certificate).serialNumber.toLowerCase();
    const second = at(NOW_MS, renewed.key);
    const caPem = renewed.certificate + second.certificate;
    const answered = (revoked: readonly string[]) => {
      const isRevoked = ({ serial: each }: { readonly serial: string }) => revoked.includes(each);
      const authenticator = new ClientCertificateAuthenticator({ caPem, isRevoked });
      return authenticate(new X509Certificate(leaf.certificate), authenticator);
    };
    for (const revoked of [renewed, second]) expect(answered([serial(revoked)]).kind).toBe("authenticated");
    expect(answered([serial(renewed), serial(second)])).toMatchObject(refused("has been revoked"));
    expect(answered([serial(leaf)])).toMatchObject(refused("has been revoked"));
  });

  test("is found by every intermediate that the client sends", async () => {
    const root = issue([cn("root")], [AUTHORITY]);
    const other = issue([cn("other")], [AUTHORITY]);
    const middle = issue([cn("middle")], [AUTHORITY], root);
    // Cross-signed by several authorities: each certificate has the same name and key.
    const crossed = issue([cn("middle")], [AUTHORITY], other, { key: middle.key });
    const limited = issue([cn("middle")], [{ ...AUTHORITY }, { name: "extKeyUsage", serverAuth: true }], root, {
      key: middle.key,
    });
    const signed = issue(ann, [CLIENT], middle);
    for (const sent of [
      [middle, crossed],
      [crossed, middle],
      [limited, crossed, middle],
      [limited, other, middle],
    ]) {
      const certificate = await presented(signed.pem + sent.map((each) => each.pem).join(""), signed.key);
      const by = new ClientCertificateAuthenticator({ caPem: root.pem });
      expect(authenticate(certificate, by)).toMatchObject(authenticated);
    }
  });

  test("costs little, however many certificates the client sends", async () => {
    const key = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
    const names = ["a", "b", "c", "d"].map((name) => [cn(name)]);
    // Each of them has issued all the others.
    const crossed = names.flatMap((of) =>
      names.map((by) => issue(of, [AUTHORITY], { pem: "", key, subject: by }, { key })),
    );
    const signed = issue(ann, [CLIENT], crossed[0] as Issued);
    const certificate = await presented(signed.pem + crossed.map((each) => each.pem).join(""), signed.key);
    const verified = jest.spyOn(X509Certificate.prototype, "verify");
    expect(authenticate(certificate)).toMatchObject(refused(""));
    expect(verified.mock.calls.length).toBeLessThanOrEqual(100);
    verified.mockRestore();
  });

  test("costs little, whatever keys the client's certificates have", async () => {
    const key = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
    const signed = issue(ann, [CLIENT], { pem: "", key, subject: [cn("a")] });
    // An exponent as long as the modulus: one signature takes as long as hundreds by usual keys.
    const slow = Array.from({ length: 10 }, () => {
      const modulus = new jsbn.BigInteger(`c${randomBytes(384).toString("hex").slice(2)}1`, 16);
      const publicKey = pki.setRsaPublicKey(modulus, modulus.subtract(new jsbn.BigInteger("2")));
      return issue([cn("a")], [AUTHORITY], undefined, { key, publicKey }).pem;
    });
    const certificate = await presented(signed.pem + slow.join(""), signed.key);
    const verified = jest.spyOn(X509Certificate.prototype, "verify");
    expect(authenticate(certificate)).toMatchObject(refused("too many signatures to check"));
    expect(verified.mock.calls.length).toBeLessThan(5);
    verified.mockRestore();
  });
});

describe("a certificate of version 1, which cannot say that it is an authority,", () => {
  test("is one when it is trusted", async () => {
    const old = issue([cn("old")], [], undefined, { version: 1 });
    const leaf = issue(ann, [CLIENT], old);
    const authenticator = new ClientCertificateAuthenticator({ caPem: old.pem });
    expect(authenticate(await presented(leaf.pem, leaf.key), authenticator)).toMatchObject(authenticated);
  });

  test("is none when the client sends it", async () => {
    const middle = issue([cn("middle")], [], ca, { version: 1 });
    const leaf = issue(ann, [CLIENT], middle);
    expect(authenticate(await presented(leaf.pem + middle.pem, leaf.key))).toMatchObject(
      refused("signed by a certificate that is not a CA"),
    );
  });

  test("is none in version 3 without constraints, though it is trusted", async () => {
    const plain = issue([cn("plain")], [CLIENT]);
    const leaf = issue(ann, [CLIENT], plain);
    const authenticator = new ClientCertificateAuthenticator({ caPem: plain.pem });
    expect(authenticate(await presented(leaf.pem, leaf.key), authenticator)).toMatchObject(
      refused("signed by a certificate that is not a CA"),
    );
  });
});

describe("an intermediate certificate that the client sends along", () => {
  test.each<[string, Extensions, object]>([
    ["leads to the authority", [AUTHORITY], authenticated],
    ["must be an authority itself", [], refused("signed by a certificate that is not a CA")],
    [
      "must be allowed to sign certificates",
      [AUTHORITY, { name: "keyUsage", digitalSignature: true }],
      refused("chain is broken"),
    ],
    ["may be limited to clients", [AUTHORITY, CLIENT], authenticated],
    [
      "may not be limited to servers",
      [AUTHORITY, { name: "extKeyUsage", serverAuth: true }],
      refused("not valid for client"),
    ],
    ["may allow no further intermediate", [{ ...AUTHORITY, pathLenConstraint: 0 }], authenticated],
  ])("%s", async (_behaviour, extensions, outcome) => {
    const middle = issue([cn("middle")], extensions, ca);
    const leaf = issue(ann, [CLIENT], middle);
    expect(authenticate(await presented(leaf.pem + middle.pem, leaf.key))).toMatchObject(outcome);
  });

  test("is missed when it is not sent", async () => {
    const leaf = issue(ann, [CLIENT], issue([cn("middle")], [AUTHORITY], ca));
    expect(authenticate(await presented(leaf.pem, leaf.key))).toMatchObject(refused("unknown authority"));
  });

  test("is remembered when a resumed session shows the client's certificate alone", async () => {
    const middle = issue([cn("middle")], [AUTHORITY], ca);
    const leaf = issue(ann, [CLIENT], middle);
    const authenticator = new ClientCertificateAuthenticator({ caPem: ca.pem });
    const whole = await presented(leaf.pem + middle.pem, leaf.key);
    const alone = await presented(leaf.pem, leaf.key);
    expect(authenticate(alone, new ClientCertificateAuthenticator({ caPem: ca.pem })).kind).toBe("failed");
    expect(authenticate(whole, authenticator)).toMatchObject(authenticated);
    expect(authenticate(alone, authenticator)).toMatchObject(authenticated);
    authenticator.replaceCa(impostor.pem);
    expect(authenticate(alone, authenticator).kind).toBe("failed");
  });

  test("replaces one that is revoked, whatever was remembered", async () => {
    const middle = issue([cn("middle")], [AUTHORITY], ca);
    const reissued = issue([cn("middle")], [AUTHORITY], ca, { key: middle.key });
    const leaf = issue(ann, [CLIENT], middle);
    const { serial } = identityOf(new X509Certificate(middle.pem));
    let revoked: readonly string[] = [];
    const isRevoked = (of: { readonly serial: string }) => revoked.includes(of.serial);
    const authenticator = new ClientCertificateAuthenticator({ caPem: ca.pem, isRevoked });
    const former = await presented(leaf.pem + middle.pem, leaf.key);
    const open = await presented(leaf.pem + reissued.pem, leaf.key);
    for (const each of [former, open]) expect(authenticate(each, authenticator)).toMatchObject(authenticated);
    revoked = [serial];
    expect(authenticate(former, authenticator)).toMatchObject(refused("has been revoked"));
    expect(authenticate(open, authenticator)).toMatchObject(authenticated);
    const next = await presented(leaf.pem + reissued.pem, leaf.key);
    expect(authenticate(next, authenticator)).toMatchObject(authenticated);
    const alone = await presented(leaf.pem, leaf.key);
    expect(authenticate(alone, authenticator)).toMatchObject(authenticated);
  });

  test("is refused below one that allows no further intermediate", async () => {
    const upper = issue([cn("upper")], [{ ...AUTHORITY, pathLenConstraint: 0 }], ca);
    const lower = issue([cn("lower")], [AUTHORITY], upper);
    const leaf = issue(ann, [CLIENT], lower);
    const certificate = await presented(leaf.pem + lower.pem + upper.pem, leaf.key);
    expect(authenticate(certificate)).toMatchObject(refused("more intermediates than a CA of the chain allows"));
  });

  test("may be the one that is trusted", async () => {
    const middle = issue([cn("middle")], [AUTHORITY], ca);
    const leaf = issue(ann, [CLIENT], middle);
    const authenticator = new ClientCertificateAuthenticator({ caPem: middle.pem });
    expect(authenticate(await presented(leaf.pem, leaf.key), authenticator)).toMatchObject(authenticated);
  });
});

test("a user carries the id of the certificate where the server has a name for it", async () => {
  const { pem, key } = issue(ann, [CLIENT], ca);
  const by = new ClientCertificateAuthenticator({ caPem: ca.pem, credentialKey: "id" });
  const id = `X509SHA256=${createHash("sha256").update(new X509Certificate(pem).raw).digest("hex")}`;
  expect(authenticate(await presented(pem, key), by)).toMatchObject({ user: { name: "ann", extra: { id: [id] } } });
  const plain = authenticate(await presented(pem, key));
  expect(plain.kind === "authenticated" && plain.user.extra).toBeUndefined();
});

describe("the UID in a client certificate", () => {
  const UID = "1.3.6.1.4.1.57683.2";
  const uid = (value: string, valueTagClass = asn1.Type.UTF8) => ({ type: UID, value, valueTagClass });
  const withUid = { kind: "authenticated", user: { name: "ann", uid: "7" } };
  const outcome = async (subject: object[], readsUid: boolean) => {
    const { pem, key } = issue([...ann, ...subject] as unknown as Subject, [CLIENT], ca);
    return authenticate(await presented(pem, key), new ClientCertificateAuthenticator({ caPem: ca.pem, readsUid }));
  };

  test.each<[string, object[], object]>([
    ["is that of its user", [uid("7")], withUid],
    ["may be printable text", [uid("7", asn1.Type.PRINTABLESTRING)], withUid],
    ["is given once", [uid("7"), uid("8")], refused("expected 1 UID, but found multiple")],
    ["is not empty", [uid("")], refused("UID cannot be an empty string")],
  ])("%s", async (_what, subject, expected) => expect(await outcome(subject, true)).toMatchObject(expected));

  test("is ignored while the server does not read it", async () => {
    for (const subject of [[uid("7")], [uid("7"), uid("8")]])
      expect(await outcome(subject, false)).toEqual(authenticated);
  });
});

function authenticate(
  certificate: X509Certificate | undefined,
  by = new ClientCertificateAuthenticator({ caPem: ca.pem }),
): AuthenticationOutcome {
  return by.authenticate(credentials({ certificate }));
}

function refused(reason: string): object {
  return { kind: "failed", reason: expect.stringContaining(reason) };
}

/** Returns the peer certificate that a TLS server sees when it verifies nothing. */
async function presented(chainPem: string, key: KeyObject): Promise<X509Certificate | undefined> {
  const server = createServer({ cert: ca.pem, key: pem(ca.key), requestCert: true, rejectUnauthorized: false });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "secureConnection") as Promise<[TLSSocket]>;
  const port = (server.address() as AddressInfo).port;
  const client = connect({ port, host: "127.0.0.1", cert: chainPem, key: pem(key), rejectUnauthorized: false });
  const [socket] = await accepted;
  const certificate = socket.getPeerX509Certificate();
  client.destroy();
  socket.destroy();
  server.close();
  return certificate;
}

/** Issues a certificate, self-signed without an issuer; valid from yesterday until tomorrow. */
function issue(
  subject: Subject,
  extensions: Extensions,
  issuer?: Issued,
  { key = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey, publicKey, version = 3 }: IssueOptions = {},
): Issued {
  const certificate = pki.createCertificate();
  certificate.version = version - 1;
  certificate.serialNumber = `01${randomBytes(8).toString("hex")}`;
  certificate.validity.notBefore = new Date(NOW_MS - DAY_MS);
  certificate.validity.notAfter = new Date(NOW_MS + DAY_MS);
  certificate.setSubject([...subject]);
  certificate.setIssuer([...(issuer?.subject ?? subject)]);
  certificate.setExtensions(extensions.map((extension) => ({ ...extension })));
  certificate.publicKey =
    publicKey ?? pki.publicKeyFromPem(createPublicKey(key).export({ type: "spki", format: "pem" }).toString());
  certificate.sign(pki.privateKeyFromPem(pem(issuer?.key ?? key)), md.sha256.create());
  return { pem: pki.certificateToPem(certificate), key, subject };
}

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function cn(value: string): Subject[number] {
  return { shortName: "CN", value };
}

function org(value: string): Subject[number] {
  return { shortName: "O", value };
}
