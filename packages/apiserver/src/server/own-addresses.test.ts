// No address of the API server itself is dialled for an object, in whatever notation.
import { networkInterfaces } from "node:os";
import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { OwnAddresses } from "./own-addresses";

const PORT = 6443;
const SERVICE = { spec: { clusterIP: "10.96.0.1", clusterIPs: ["10.96.0.1", "fd00:96::1"], ports: [{ port: 443 }] } };
const ENDPOINTS = { subsets: [{ addresses: [{ ip: "192.0.2.7" }, { ip: "192.0.2.8" }], ports: [{ port: PORT }] }] };

const peeked = (object: object) => ({ peek: () => ({ whole: () => object }) }) as never;
const placesOf = (bindAddress: string, advertiseAddress = "") =>
  new OwnAddresses({
    vocabulary: vocabularyOf("orch"),
    bindAddress,
    advertiseAddress,
    securePort: () => PORT,
    storages: () => ({ services: peeked(SERVICE), endpoints: peeked(ENDPOINTS) }),
  });

const outer = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .map(({ address }) => address);

describe.each(["0.0.0.0", "::", ""])("a server that listens on %j", (bindAddress) => {
  const places = placesOf(bindAddress, "198.51.100.4");

  test.each([
    ["127.0.0.1", "is this API server itself"],
    ["127.9.9.9", "is this API server itself"],
    ["::1", "is this API server itself"],
    ["::ffff:127.0.0.1", "is this API server itself"],
    ["::127.0.0.1", "is this API server itself"],
    ["64:ff9b::7f00:1", "is this API server itself"],
    ["198.51.100.4", "is this API server itself"],
    ["::ffff:198.51.100.4", "is this API server itself"],
    ["192.0.2.7", "is an API server of this cluster"],
    ["::192.0.2.8", "is an API server of this cluster"],
    ...outer.filter((each) => !each.startsWith("fe80:")).map((each) => [each, "is this API server itself"]),
  ])("is not reached at %s", (host, reason) => {
    expect(places.refusal({ host: host as string, port: PORT })).toContain(reason);
    expect(places.refusal({ host: host as string, port: PORT + 1 })).toBeUndefined();
  });

  test.each(["10.96.0.1", "::ffff:10.96.0.1", "fd00:96::1", "fd00:96:0::1"])(
    "is not reached by its service at %s",
    (host) => {
      expect(places.refusal({ host, port: 443 })).toContain("is the service of the API itself");
      expect(places.refusal({ host, port: 444 })).toBeUndefined();
    },
  );

  test.each([
    "0.0.0.0",
    "0.0.0.1",
    "169.254.169.254",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "::ffff:169.254.0.1",
    "224.0.0.1",
  ])("connects to %s at no port", (host) =>
    expect(places.refusal({ host, port: 10250 })).toContain("not the address of a single other machine"),
  );
});

test("a server that listens on one address leaves the others of the machine to other programs", () => {
  const places = placesOf("127.0.0.1");
  expect(["127.0.0.1", "::ffff:127.0.0.1"].map((host) => places.refusal({ host, port: PORT }))).not.toContain(
    undefined,
  );
  expect(["127.0.0.2", "203.0.113.1"].map((host) => places.refusal({ host, port: PORT }))).toEqual([
    undefined,
    undefined,
  ]);
});
