// Plugins for certificate signing requests, in both vocabularies.
import { describe, expect, test } from "@jest/globals";
import type { Attributes, Decision } from "@orch/auth";
import { type JsonObject, type VocabularyName, vocabularyOf } from "@orch/schema";
import { asn1, pki } from "node-forge";
import type { PluginFactory } from "../contract/plugin";
import type { RequestParts } from "../testing/admission-request";
import { type Answer, chainWith } from "../testing/answered";
import { certificateApproval } from "./certificate-approval";
import { certificateSigning } from "./certificate-signing";
import { certificateSubjectRestriction } from "./certificate-subject-restriction";

const NAMES = {
  orch: { group: "certificates.orch.io", client: "orch.io/apiserver-client" },
  kubernetes: { group: "certificates.k8s.io", client: "kubernetes.io/kube-apiserver-client" },
} as const satisfies Readonly<Record<VocabularyName, object>>;

interface Case {
  readonly parts?: RequestParts;
  readonly may?: readonly string[];
  readonly vocabulary?: VocabularyName;
}

/** Runs a plugin. @returns the outcome, and the authorizer calls as text */
async function judged(plugin: PluginFactory, { parts = {}, may = [], vocabulary = "orch" }: Case) {
  const asked: string[] = [];
  const authorizer = {
    authorize(of: Attributes): Decision {
      if (of.kind !== "resource") throw new Error("nobody asks for paths");
      const words = `${of.verb} ${of.apiGroup}/${of.apiVersion} ${of.resource}${of.subresource}${of.namespace} ${of.name}`;
      asked.push(words);
      expect(of.user.name).toBe("ann");
      return { kind: may.includes(of.name) ? "allow" : "noOpinion", reason: "" };
    },
  };
  const { ask } = chainWith({ plugins: [plugin], dependencies: { authorizer, vocabulary: vocabularyOf(vocabulary) } });
  const request = { plural: "certificatesigningrequests", namespace: "", group: NAMES[vocabulary].group, ...parts };
  const answer = await ask(request);
  return { answer: "refused" in answer ? answer : ("passes" as const), asked };
}

const refused = (text: string, group: string = NAMES.orch.group): Answer => ({
  refused: { code: 403, message: `certificatesigningrequests.${group} "a" is forbidden: ${text}` },
});
const of = (signerName: string, status: JsonObject = {}): JsonObject => ({
  metadata: { name: "a" },
  spec: { signerName },
  status,
});
const [SIGNER, ALL] = ["example.com/mine", "example.com/*"];
const asks = (verb: string, ...names: string[]) =>
  names.map((name) => `${verb} certificates.orch.io/* signers ${name}`);

describe("CertificateApproval", () => {
  const approval = { operation: "UPDATE", subresource: "approval", object: of(SIGNER), oldObject: of(SIGNER) } as const;
  const NO = refused(`user not permitted to approve requests with signerName "${SIGNER}"`);

  test.each<[string, Case, Answer | "passes", readonly string[]]>([
    ["who may for the signer passes", { parts: approval, may: [SIGNER] }, "passes", asks("approve", SIGNER)],
    ["who may for its domain passes", { parts: approval, may: [ALL] }, "passes", asks("approve", SIGNER, ALL)],
    ["others do not", { parts: approval }, NO, asks("approve", SIGNER, ALL)],
    [
      "who may for all of another domain does not",
      { parts: approval, may: ["other.com/*", "*"] },
      NO,
      asks("approve", SIGNER, ALL),
    ],
    [
      "the stored signer counts",
      { parts: { ...approval, object: of("other.com/x") }, may: ["other.com/x"] },
      NO,
      asks("approve", SIGNER, ALL),
    ],
    [
      "a signer without a name is asked about",
      { parts: { ...approval, oldObject: { metadata: {} } } },
      refused('user not permitted to approve requests with signerName ""'),
      asks("approve", "", "/*"),
    ],
    ["nothing need change", { parts: { ...approval, object: approval.oldObject } }, NO, asks("approve", SIGNER, ALL)],
    ["a dry run is asked about", { parts: { ...approval, dryRun: true } }, NO, asks("approve", SIGNER, ALL)],
    ["the request itself is not asked about", { parts: { ...approval, subresource: "" } }, "passes", []],
    ["its status is not asked about", { parts: { ...approval, subresource: "status" } }, "passes", []],
    ["its creation is not asked about", { parts: { operation: "CREATE", object: of(SIGNER) } }, "passes", []],
    ["its deletion is not asked about", { parts: { operation: "DELETE", oldObject: of(SIGNER) } }, "passes", []],
    ["another kind is not asked about", { parts: { ...approval, group: "stable.example.com" } }, "passes", []],
    [
      "the Kubernetes vocabulary has its own group",
      { parts: { ...approval, oldObject: of(NAMES.kubernetes.client) }, vocabulary: "kubernetes" },
      refused(
        `user not permitted to approve requests with signerName "${NAMES.kubernetes.client}"`,
        NAMES.kubernetes.group,
      ),
      [
        "approve certificates.k8s.io/* signers kubernetes.io/kube-apiserver-client",
        "approve certificates.k8s.io/* signers kubernetes.io/*",
      ],
    ],
  ])("%s", async (_what, each, answer, asked) => {
    expect(await judged(certificateApproval, each)).toEqual({ answer, asked });
  });
});

describe("CertificateSigning", () => {
  const answered = { certificate: "Y2VydA==" };
  const approved = { conditions: [{ type: "Approved", status: "True" }] };
  const write = (next: JsonObject, old: JsonObject = {}): RequestParts => ({
    operation: "UPDATE",
    subresource: "status",
    object: of(SIGNER, next),
    oldObject: of(SIGNER, old),
  });
  const NO = refused(`user not permitted to sign requests with signerName "${SIGNER}"`);

  test.each<[string, Case, Answer | "passes", readonly string[]]>([
    ["who may for the signer answers", { parts: write(answered), may: [SIGNER] }, "passes", asks("sign", SIGNER)],
    ["who may for its domain answers", { parts: write(answered), may: [ALL] }, "passes", asks("sign", SIGNER, ALL)],
    ["others write no certificate", { parts: write(answered) }, NO, asks("sign", SIGNER, ALL)],
    [
      "others change no certificate",
      { parts: write({ certificate: "b3RoZXI=" }, answered) },
      NO,
      asks("sign", SIGNER, ALL),
    ],
    ["others take no certificate away", { parts: write({}, answered) }, NO, asks("sign", SIGNER, ALL)],
    ["others write no condition", { parts: write(approved) }, NO, asks("sign", SIGNER, ALL)],
    ["others take no condition away", { parts: write({}, approved) }, NO, asks("sign", SIGNER, ALL)],
    [
      "others may write what is there",
      { parts: write({ ...answered, ...approved }, { ...answered, ...approved }) },
      "passes",
      [],
    ],
    ["others may write an empty list for none", { parts: write({ conditions: [] }) }, "passes", []],
    ["others may write something else", { parts: write({ more: "x" }) }, "passes", []],
    [
      "the stored signer counts",
      { parts: { ...write(answered), object: of("other.com/x", answered) }, may: ["other.com/x"] },
      NO,
      asks("sign", SIGNER, ALL),
    ],
    ["the request itself is not asked about", { parts: { ...write(answered), subresource: "" } }, "passes", []],
    ["its approval is not asked about", { parts: { ...write(approved), subresource: "approval" } }, "passes", []],
    [
      "the Kubernetes vocabulary has its own group",
      { parts: { ...write(answered) }, vocabulary: "kubernetes", may: [ALL] },
      "passes",
      [`sign certificates.k8s.io/* signers ${SIGNER}`, `sign certificates.k8s.io/* signers ${ALL}`],
    ],
  ])("%s", async (_what, each, answer, asked) => {
    expect(await judged(certificateSigning, each)).toEqual({ answer, asked });
  });
});

describe("CertificateSubjectRestriction", () => {
  const keys = pki.rsa.generateKeyPair({ bits: 1024 });

  function requestFor(
    ...organizations: readonly { readonly value: string; readonly valueTagClass?: number }[]
  ): string {
    const csr = pki.createCertificationRequest();
    csr.publicKey = keys.publicKey;
    const parts = organizations.map((each) => ({ name: "organizationName", valueTagClass: asn1.Type.UTF8, ...each }));
    csr.setSubject([{ name: "commonName", value: "system:masters" }, ...parts] as never);
    csr.sign(keys.privateKey);
    return Buffer.from(pki.certificationRequestToPem(csr)).toString("base64");
  }

  const text = (value: string) => Buffer.from(value).toString("base64");
  const request = (encoded: string, signerName: string = NAMES.orch.client): RequestParts => ({
    object: { metadata: { name: "a" }, spec: { signerName, request: encoded } },
  });
  const MASTERS = requestFor({ value: "system:masters" });
  const NO = refused("use of orch.io/apiserver-client signer with system:masters group is not allowed");
  const FIELD_NO = refused(
    "use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed",
    NAMES.kubernetes.group,
  );
  const UNREADABLE = refused("failed to parse CSR: it is not a certificate signing request");

  test.each<[string, Case, Answer | "passes"]>([
    ["of no group passes", { parts: request(requestFor()) }, "passes"],
    ["of some group passes", { parts: request(requestFor({ value: "dev" })) }, "passes"],
    [
      "of a group of like name passes",
      { parts: request(requestFor({ value: "system:master" }, { value: "System:Masters" })) },
      "passes",
    ],
    ["of the privileged group does not", { parts: request(MASTERS) }, NO],
    [
      "of the privileged group among others does not",
      { parts: request(requestFor({ value: "dev" }, { value: "system:masters" })) },
      NO,
    ],
    [
      "of the privileged group in another encoding does not",
      { parts: request(requestFor({ value: "system:masters", valueTagClass: asn1.Type.PRINTABLESTRING })) },
      NO,
    ],
    ["in a dry run does not either", { parts: { ...request(MASTERS), dryRun: true } }, NO],
    ["for another signer passes", { parts: request(MASTERS, "example.com/mine") }, "passes"],
    [
      "for the Kubernetes name of the signer, which is another signer here, passes",
      { parts: request(MASTERS, NAMES.kubernetes.client) },
      "passes",
    ],
    [
      "for node agents passes, whose signer sees to it",
      { parts: request(MASTERS, "orch.io/apiserver-client-agent") },
      "passes",
    ],
    ["without a request is unreadable", { parts: { object: of(NAMES.orch.client) } }, UNREADABLE],
    ["with an empty request is unreadable", { parts: request("") }, UNREADABLE],
    ["with some text is unreadable", { parts: request(text("hello")) }, UNREADABLE],
    [
      "with a certificate is unreadable",
      { parts: request(text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")) },
      UNREADABLE,
    ],
    [
      "with a block that is none is unreadable",
      { parts: request(text("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n")) },
      UNREADABLE,
    ],
    ["with some text for another signer passes", { parts: request(text("hello"), "example.com/mine") }, "passes"],
    [
      "that is changed is let be",
      { parts: { ...request(MASTERS), operation: "UPDATE", oldObject: of(NAMES.orch.client) } },
      "passes",
    ],
    ["whose status is created is let be", { parts: { ...request(MASTERS), subresource: "status" } }, "passes"],
    [
      "in the Kubernetes vocabulary does not",
      { parts: request(MASTERS, NAMES.kubernetes.client), vocabulary: "kubernetes" },
      FIELD_NO,
    ],
    [
      "in the Kubernetes vocabulary for the Orch name of the signer passes",
      { parts: request(MASTERS), vocabulary: "kubernetes" },
      "passes",
    ],
  ])("a request %s", async (_what, each, answer) => {
    expect(await judged(certificateSubjectRestriction, each)).toEqual({ answer, asked: [] });
  });
});

test("switched off, none of them is asked", async () => {
  const { ask } = chainWith({ plugins: [] });
  const object = of(SIGNER);
  const parts = { plural: "certificatesigningrequests", group: NAMES.orch.group, namespace: "", object };
  for (const subresource of ["", "approval", "status"]) {
    expect(await ask({ ...parts, operation: "UPDATE", subresource, oldObject: object })).toEqual({ object });
  }
});
