import { createHook } from "node:async_hooks";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { makeCertificate } from "./certificate-material";

const nowMs = Date.UTC(2026, 0, 1);

describe("a certificate that a program makes", () => {
  const issuer = makeCertificate({ subject: { commonName: "an authority" }, usage: { kind: "authority" }, nowMs });
  const ca = new X509Certificate(issuer.certificate);

  test("a CA certificate is self-signed", () => {
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
  });

  test("a serving certificate is signed by the CA, for all names and addresses", () => {
    const names = [
      "localhost",
      "api.example",
      "127.0.0.1",
      "::1",
      "1:2:3:4:5:6:7:8",
      "fe80::1:2%eth0",
      "::ffff:1.2.3.4",
    ];
    const made = makeCertificate({
      subject: { commonName: "server" },
      usage: { kind: "server", names },
      issuer,
      nowMs,
    });
    const server = new X509Certificate(made.certificate);
    expect(server.checkIssued(ca)).toBe(true);
    expect(server.verify(ca.publicKey)).toBe(true);
    expect(server.checkHost("api.example")).toBe("api.example");
    expect(server.checkIP("127.0.0.1")).toBe("127.0.0.1");
    for (const address of ["::1", "1:2:3:4:5:6:7:8", "fe80::1:2", "::ffff:102:304"])
      expect(server.checkIP(address)).toBe(address);
    expect(server.ca).toBe(false);
  });

  test("a client certificate contains the user and the groups", () => {
    const subject = { commonName: "jane", organizations: ["one", "two"] };
    const made = makeCertificate({ subject, usage: { kind: "client" }, issuer, nowMs });
    const client = new X509Certificate(made.certificate);
    expect(client.subject.split("\n").sort()).toEqual(["CN=jane", "O=one", "O=two"]);
    expect(client.verify(ca.publicKey)).toBe(true);
  });

  test("a peer certificate is valid for serving its names and for clients", () => {
    const usage = { kind: "peer", names: ["member.example"] } as const;
    const made = makeCertificate({ subject: { commonName: "member" }, usage, issuer, nowMs });
    const peer = new X509Certificate(made.certificate);
    expect(peer.checkHost("member.example")).toBe("member.example");
    expect(peer.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
    expect(peer.checkPrivateKey(createPrivateKey(made.key))).toBe(true);
  });

  test("leaves no asynchronous work behind, which test runners would report as an open handle", () => {
    const begun: string[] = [];
    const hook = createHook({ init: (_id, type) => begun.push(type) }).enable();
    makeCertificate({ subject: { commonName: "server" }, usage: { kind: "server", names: ["a"] }, issuer, nowMs });
    hook.disable();
    expect(begun.filter((type) => type.includes("KEY"))).toEqual([]);
  });

  test("is valid from shortly before it was made", () => expect(Date.parse(ca.validFrom)).toBe(nowMs - 3_600_000));
});
