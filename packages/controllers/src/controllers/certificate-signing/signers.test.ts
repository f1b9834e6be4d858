// Requests for each signer, valid ones and each kind of violation, and the contents of the issued certificates.
import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import {
  certificateFields,
  der,
  KEY_KINDS,
  type KeyKind,
  type RequestParts,
  requestField,
  testAuthority,
  testKey,
} from "@orch/testing";
import { answerTo } from "./sign-requests";
import type { SignerId } from "./signers";
import { signingAuthority } from "./signing-authority";

const NOW = Date.UTC(2030, 5, 1, 12);
const HOUR_MS = 3_600_000;
const keyId = Buffer.from("0102030405060708090a", "hex");
const authorityOf = (kind: KeyKind) => signingAuthority(testAuthority(kind, { keyId }));
const authority = authorityOf("p256");

const SIGNING = "digital signature";
const ENCIPHERING = "key encipherment";
const SERVER = "server auth";
const CLIENT = "client auth";
const USAGES = [
  "signing", SIGNING, "content commitment", ENCIPHERING, "key agreement", "data encipherment", "cert sign", "crl sign",
  "encipher only", "decipher only", "any", SERVER, CLIENT, "code signing", "email protection", "s/mime", "ipsec end system",
  "ipsec tunnel", "ipsec user", "timestamping", "ocsp signing", "microsoft sgc", "netscape sgc",
]; // biome-ignore format: a list

type Subject = NonNullable<RequestParts["subject"]>;
type Names = NonNullable<RequestParts["names"]>;

interface Asked {
  readonly parts: RequestParts;
  readonly usages: readonly string[];
}
/** A request and the reason of its refusal; undefined: it is signed. */
type Row = readonly [what: string, asked: Asked, flaw: string | undefined];

const NODES: Subject[number] = ["O", "system:nodes"];
const NODE: Subject[number] = ["CN", "system:node:a"];
const DNS: Names[number] = ["dns", "a.example.com"];
const IPV4: Names[number] = ["ip", Buffer.from([10, 0, 0, 1])];
const IPV6: Names[number] = ["ip", Buffer.from(`20010db8${"00".repeat(11)}01`, "hex")];
const EMAIL: Names[number] = ["email", "a@example.com"];
const URI: Names[number] = ["uri", "spiffe://example.com/a"];
const DIRECTORY: Names[number] = ["directory", der(0x30)];

/** A violation: the parts that replace those of a valid request. */
type Deviation = Partial<{ groups: Subject; name: Subject; names: Names; usages: readonly string[] }>;

const WRONG_GROUPS: readonly Deviation[] = [
  { groups: [] },
  { groups: [["O", "dev"]] },
  { groups: [["O", "system:node"]] },
  { groups: [["O", "system:nodes2"]] },
  { groups: [["O", "System:Nodes"]] },
  { groups: [["O", "system:nodes "]] },
  { groups: [["O", ""]] },
  { groups: [NODES, NODES] },
  { groups: [NODES, ["O", "dev"]] },
  { groups: [["O", "dev"], NODES] },
  { groups: [NODES, ["O", ""]] },
  { groups: [["OU", "system:nodes"]] },
];
const WRONG_NAMES: readonly Deviation[] = [
  { name: [] },
  { name: [["CN", ""]] },
  { name: [["CN", "ann"]] },
  { name: [["CN", "system:node"]] },
  { name: [["CN", "System:node:a"]] },
  { name: [["CN", " system:node:a"]] },
  { name: [["CN", "system:nodes:a"]] },
  // The last common name counts.
  { name: [NODE, ["CN", "admin"]] },
];
const wrongUsages = (fitting: readonly string[]): readonly Deviation[] => [
  ...fitting.map((left) => ({ usages: fitting.filter((usage) => usage !== left) })),
  ...USAGES.filter((usage) => !fitting.includes(usage)).map((more) => ({ usages: [...fitting, more] })),
  { usages: [] },
  { usages: [SIGNING] },
];
const having = (fitting: Names, kinds: readonly Names[number][]): readonly Deviation[] =>
  kinds.flatMap((name) => [{ names: [name] }, { names: [...fitting, name] }, { names: [name, ...fitting] }]);

interface Fitting {
  readonly names: Names;
  readonly usages: readonly string[];
}
const asking = ({ names, usages }: Fitting, deviation: Deviation, key: KeyKind = "p256"): Asked => {
  const { groups = [NODES], name = [NODE] } = deviation;
  return {
    parts: { key, subject: [...groups, ...name], names: deviation.names ?? names },
    usages: deviation.usages ?? usages,
  };
};

/** Returns each deviation alone, and combined with the first deviation of each later check. */
function deviating(fitting: Fitting, checks: readonly (readonly [flaw: string, readonly Deviation[]])[]): Row[] {
  return checks.flatMap(([flaw, deviations], at) => {
    const later = [{}, ...checks.slice(at + 1).map(([, [first = {}]]) => first)];
    return deviations.flatMap((deviation, which) =>
      (which === 0 ? later : [{}]).map((also): Row => {
        const both = { ...also, ...deviation };
        return [`${JSON.stringify(both)}`, asking(fitting, both), flaw];
      }),
    );
  });
}

const fits = (what: string, asked: Asked): Row => [what, asked, undefined];
const NO_GROUP = "subject organization is not system:nodes";
const NO_NODE = "subject common name does not begin with system:node:";

const SERVING: Fitting = { names: [DNS, IPV4], usages: [SERVER, SIGNING, ENCIPHERING] };
const servingRows: readonly Row[] = [
  ...KEY_KINDS.flatMap((key) =>
    [[DNS], [IPV4], [IPV6], [DNS, IPV4, IPV6], [DNS, ["dns", "*.b.example.com"]] as Names, [DIRECTORY, IPV4]].map(
      (names, at) => fits(`names ${at} with a key of ${key}`, asking(SERVING, { names }, key)),
    ),
  ),
  fits("usages twice, in any order", asking(SERVING, { usages: [SIGNING, SERVER, ENCIPHERING, SERVER] })),
  fits("one common name after another", asking(SERVING, { name: [["CN", "admin"], NODE] })),
  fits("a unit beside the group", asking(SERVING, { groups: [NODES, ["OU", "dev"]] })),
  ...deviating(SERVING, [
    [NO_GROUP, WRONG_GROUPS],
    [
      "DNS or IP subjectAltName is required",
      [{ names: [] }, { names: [EMAIL] }, { names: [URI] }, { names: [DIRECTORY] }],
    ],
    [
      "Email subjectAltNames are not allowed",
      [{ names: [DNS, EMAIL] }, { names: [EMAIL, IPV4] }, { names: [EMAIL, URI, DNS] }],
    ],
    ["URI subjectAltNames are not allowed", [{ names: [DNS, URI] }, { names: [URI, IPV6] }]],
    ["usages did not match [digital signature key encipherment server auth]", wrongUsages(SERVING.usages)],
    [NO_NODE, WRONG_NAMES],
  ]),
  ...USAGES.map(
    (usage): Row => [
      `${usage} alone`,
      asking(SERVING, { usages: [usage] }),
      "usages did not match [digital signature key encipherment server auth]",
    ],
  ),
];

const AGENT: Fitting = { names: [], usages: [CLIENT, SIGNING, ENCIPHERING] };
const agentRows: readonly Row[] = [
  ...KEY_KINDS.flatMap((key) =>
    ["system:node:a", "system:node:", "system:node:a.b.example.com", "system:node:ü"].map((name) =>
      fits(`${name} with a key of ${key}`, asking(AGENT, { name: [["CN", name]] }, key)),
    ),
  ),
  fits("usages twice, in any order", asking(AGENT, { usages: [SIGNING, CLIENT, ENCIPHERING, CLIENT] })),
  fits("a name of another kind", asking(AGENT, { names: [DIRECTORY] })),
  ...deviating(AGENT, [
    [NO_GROUP, WRONG_GROUPS],
    ["DNS subjectAltNames are not allowed", [...having([], [DNS]), { names: [EMAIL, DNS, IPV4, URI] }]],
    ["Email subjectAltNames are not allowed", [...having([], [EMAIL]), { names: [IPV4, URI, EMAIL] }]],
    ["IP subjectAltNames are not allowed", [...having([], [IPV4, IPV6]), { names: [URI, IPV4] }]],
    ["URI subjectAltNames are not allowed", having([], [URI])],
    [NO_NODE, WRONG_NAMES],
    ["usages did not match [client auth digital signature key encipherment]", wrongUsages(AGENT.usages)],
  ]),
  ...USAGES.map(
    (usage): Row => [
      `${usage} alone`,
      asking(AGENT, { usages: [usage] }),
      "usages did not match [client auth digital signature key encipherment]",
    ],
  ),
];

const SUBJECTS: readonly Subject[] = [
  [],
  [["CN", "ann"]],
  [
    ["CN", "ann"],
    ["O", "dev"],
  ],
  [
    ["CN", "ann"],
    ["O", "ops"],
    ["O", "dev"],
  ],
  [["O", "dev"]],
  [["CN", "system:admin"], NODES],
  [NODES, NODE],
  [
    ["CN", "Müller, Jörg"],
    ["C", "DE"],
    ["L", "Köln"],
    ["OU", "a"],
    ["OU", "b"],
    ["SN", "77"],
  ],
  [
    ["CN", "one"],
    ["CN", "other"],
  ],
  [
    ["2.5.4.97", "unknown"],
    ["CN", "ann"],
    ["0.9.2342.19200300.100.1.25", "com"],
  ],
  [
    ["O", "in print", 0x13],
    ["CN", Buffer.from("007a00fc", "hex"), 0x1e],
  ],
];
const ALTERNATIVES: readonly Names[] = [
  [],
  [DNS],
  [EMAIL],
  [IPV4, IPV6],
  [URI],
  [URI, EMAIL, DNS, IPV6, DIRECTORY, IPV4],
];
const anything = (usages: readonly string[]): Row[] => [
  ...SUBJECTS.flatMap((subject, one) =>
    ALTERNATIVES.map((names, other) => fits(`subject ${one}, names ${other}`, { parts: { subject, names }, usages })),
  ),
  ...KEY_KINDS.flatMap((key) =>
    SUBJECTS.slice(0, 4).map((subject, at) =>
      fits(`subject ${at} with a key of ${key}`, { parts: { key, subject }, usages }),
    ),
  ),
];
const ann: RequestParts = { subject: [["CN", "ann"]] };
const clientRows: readonly Row[] = [
  ...anything([CLIENT, SIGNING]),
  ...[
    [CLIENT],
    [CLIENT, SIGNING],
    [CLIENT, ENCIPHERING],
    [CLIENT, SIGNING, ENCIPHERING],
    [SIGNING, CLIENT, CLIENT],
  ].map((usages) => fits(usages.join(", "), { parts: ann, usages })),
  ...[[], [SIGNING], [ENCIPHERING], [SIGNING, ENCIPHERING]].map(
    (usages): Row => [
      `without ${CLIENT}: ${usages.join(", ")}`,
      { parts: ann, usages },
      "missing required usage for client certificate: client auth",
    ],
  ),
  [
    "the first of several",
    { parts: ann, usages: ["netscape sgc", CLIENT, "any"] },
    "invalid usage for client certificate: netscape sgc",
  ],
  ...USAGES.filter((usage) => !AGENT.usages.includes(usage)).flatMap((usage) =>
    [[usage], [CLIENT, usage], [usage, CLIENT, SIGNING, ENCIPHERING]].map(
      (usages): Row => [usages.join(", "), { parts: ann, usages }, `invalid usage for client certificate: ${usage}`],
    ),
  ),
];
const unknownRows: readonly Row[] = [
  ...anything([SERVER, SIGNING]),
  ...USAGES.flatMap((usage) =>
    [[usage], [usage, CLIENT]].map((usages) => fits(usages.join(", "), { parts: ann, usages })),
  ),
  fits("every usage", { parts: ann, usages: USAGES }),
  fits("what a node asks", asking(AGENT, {})),
  fits("what a node that serves asks", asking(SERVING, {})),
];

const TABLES: Readonly<Record<SignerId, readonly Row[]>> = {
  agentServing: servingRows,
  apiserverClientAgent: agentRows,
  apiserverClient: clientRows,
  legacyUnknown: unknownRows,
};

const { signers } = vocabularyOf("orch");
async function answer(signer: SignerId, { parts, usages }: Asked, by = authority) {
  const spec = { request: requestField(parts), usages: [...usages] as never, signerName: signers[signer] };
  const terms = { signer, authority: by, release: "1.23", durationMs: 24 * HOUR_MS, nowMs: NOW };
  const { status = {} } = await answerTo({ metadata: { name: "r" }, spec }, terms);
  return { status, pem: Buffer.from(status.certificate ?? "", "base64").toString() };
}

describe.each(Object.entries(TABLES) as [SignerId, readonly Row[]][])("%s", (signer, rows) => {
  test("is asked in a hundred ways and more", () => expect(rows.length).toBeGreaterThanOrEqual(120));

  test("refuses what does not fit, with the first reason there is", async () => {
    const refused = rows.filter(([, , flaw]) => flaw !== undefined);
    const answers = await Promise.all(refused.map(([, asked]) => answer(signer, asked)));
    expect(answers.map(({ status }, at) => [refused[at]?.[0], status])).toEqual(
      refused.map(([what, , message]) => [
        what,
        {
          conditions: [
            {
              type: "Failed",
              status: "True",
              reason: "SignerValidationFailure",
              message,
              lastUpdateTime: "2030-06-01T12:00:00Z",
            },
          ],
        },
      ]),
    );
  });

  test("certifies what fits, field by field", async () => {
    for (const [what, asked] of rows.filter(([, , flaw]) => flaw === undefined)) {
      const { pem, status } = await answer(signer, asked);
      expect([what, status.conditions]).toEqual([what, undefined]);
      const { publicKey, serialBits, ...fields } = certificateFields(pem);
      expect([what, fields]).toEqual([what, expectedFields(asked)]);
      expect(serialBits).toBeGreaterThan(64);
      expect(new X509Certificate(pem).verify(authority.certificate.publicKey)).toBe(true);
      const key = testKey(asked.parts.key ?? "p256");
      expect(new X509Certificate(pem).checkPrivateKey(key)).toBe(true);
      expect(publicKey.length).toBeGreaterThan(0);
    }
  });
});

const ORDER = ["C", "L", "O", "OU", "CN", "SN"] as const;
const OIDS = { C: "2.5.4.6", O: "2.5.4.10", OU: "2.5.4.11", L: "2.5.4.7", CN: "2.5.4.3", SN: "2.5.4.5" } as const;
const NAME_TAGS = [
  ["dns", 0x82],
  ["email", 0x81],
  ["ip", 0x87],
  ["uri", 0x86],
] as const;
const BITS: Readonly<Record<string, number>> = {
  signing: 0, [SIGNING]: 0, "content commitment": 1, [ENCIPHERING]: 2, "data encipherment": 3, "key agreement": 4, "cert sign": 5,
  "crl sign": 6, "encipher only": 7, "decipher only": 8,
}; // biome-ignore format: a table
const PURPOSES: Readonly<Record<string, string>> = {
  any: "0604551d2500", [SERVER]: "06082b06010505070301", [CLIENT]: "06082b06010505070302", "code signing": "06082b06010505070303",
  "email protection": "06082b06010505070304", "s/mime": "06082b06010505070304", "ipsec end system": "06082b06010505070305",
  "ipsec tunnel": "06082b06010505070306", "ipsec user": "06082b06010505070307", timestamping: "06082b06010505070308",
  "ocsp signing": "06082b06010505070309", "microsoft sgc": "060a2b0601040182370a0303", "netscape sgc": "0609608648018 6f8420401".replace(" ", ""),
}; // biome-ignore format: a table

const text = (value: string | Buffer, tag: number | undefined) =>
  typeof value === "string" ? value : tag === 0x1e ? Buffer.from(value).swap16().toString("utf16le") : value.toString();

function expectedFields({ parts: { subject = [], names = [] }, usages }: Asked) {
  const rdns = ORDER.map((id) => {
    const values = subject.filter(([type]) => type === id).map(([, value, tag]) => text(value, tag));
    const kept = id === "CN" || id === "SN" ? values.slice(-1).filter((value) => value !== "") : values;
    return kept.map((value) => `${OIDS[id]}=${value}`).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  }).filter((values) => values.length > 0);
  const list = NAME_TAGS.flatMap(([kind, tag]) =>
    names.filter(([each]) => each === kind).map(([, value]) => der(tag, Buffer.from(value as string))),
  );
  const bits = usages.flatMap((usage) => BITS[usage] ?? []);
  const last = Math.max(-1, ...bits);
  const mask = bits.reduce((sum, bit) => sum | (1 << (15 - bit)), 0);
  const bytes = Buffer.from([mask >> 8, mask & 0xff]).subarray(0, last < 8 ? 1 : 2);
  const purposes = Object.values(PURPOSES).filter((oid, at, all) => all.indexOf(oid) === at);
  const wanted = purposes.filter((oid) => usages.some((usage) => PURPOSES[usage] === oid));
  return {
    signature: "1.2.840.10045.4.3.2",
    issuer: "2.5.4.3=p256 CA",
    notBefore: "2030-06-01T11:55:00Z",
    notAfter: "2030-06-02T11:55:00Z",
    subject: rdns,
    extensions: [
      ...(last < 0 ? [] : [["!2.5.29.15", der(0x03, Buffer.from([7 - (last & 7)]), bytes).toString("hex")]]),
      ...(wanted.length === 0 ? [] : [["2.5.29.37", der(0x30, Buffer.from(wanted.join(""), "hex")).toString("hex")]]),
      ["!2.5.29.19", "3000"],
      ["2.5.29.35", der(0x30, der(0x80, keyId)).toString("hex")],
      ...(list.length === 0
        ? []
        : [[rdns.length === 0 ? "!2.5.29.17" : "2.5.29.17", der(0x30, ...list).toString("hex")]]),
    ],
  };
}

describe("every kind of key signs for every kind of key", () => {
  const SIGNATURES = {
    rsa: "1.2.840.113549.1.1.11",
    p256: "1.2.840.10045.4.3.2",
    p384: "1.2.840.10045.4.3.3",
    p521: "1.2.840.10045.4.3.4",
    ed25519: "1.3.101.112",
  } as const;
  test.each(KEY_KINDS)("%s", async (kind) => {
    const by = authorityOf(kind);
    for (const key of KEY_KINDS) {
      const { pem } = await answer("apiserverClient", { parts: { ...ann, key }, usages: [CLIENT] }, by);
      const certificate = new X509Certificate(pem);
      expect([key, certificate.verify(by.certificate.publicKey), certificate.checkIssued(by.certificate)]).toEqual([
        key,
        true,
        true,
      ]);
      expect(certificateFields(pem).signature).toBe(SIGNATURES[kind]);
    }
  });
});

test("a request that is not signed with its own key is refused for good", async () => {
  const asked = { parts: { ...ann, forged: true }, usages: [CLIENT] };
  const message = "spec.request: must be signed with its own key";
  expect((await answer("apiserverClient", asked)).status).toMatchObject({
    conditions: [{ type: "Failed", reason: "SignerValidationFailure", message }],
  });
});

test("other extensions of a request are left out", async () => {
  const extensions = [
    ["2.5.29.19", Buffer.from("30030101ff", "hex"), true],
    ["1.2.3.4", der(0x05), true],
  ] as const;
  const { pem } = await answer("apiserverClient", { parts: { ...ann, extensions }, usages: [CLIENT] });
  expect(certificateFields(pem).extensions.map(([oid]) => oid)).toEqual(["2.5.29.37", "!2.5.29.19", "2.5.29.35"]);
  expect(new X509Certificate(pem).ca).toBe(false);
});

test("no two certificates have a serial number in common", async () => {
  const asked = { parts: ann, usages: [CLIENT] };
  const pems = await Promise.all(Array.from({ length: 20 }, async () => (await answer("apiserverClient", asked)).pem));
  expect(new Set(pems.map((pem) => new X509Certificate(pem).serialNumber)).size).toBe(20);
});
