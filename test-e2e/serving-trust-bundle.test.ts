// Publication of the API server's CA as a cluster trust bundle. The real controller against a server in this process.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { startServer } from "@orch/apiserver";
import type { ResourceType } from "@orch/client";
import { chosenControllers, runControllers } from "@orch/controllers";
import { type certificatesV1, type VocabularyName, vocabularyOf } from "@orch/schema";
import { eventually } from "./harness/eventually";
import { adminClient, adminConnection } from "./harness/in-process";
import { useWorkplace } from "./harness/processes";

const workplace = useWorkplace();
const CONTROLLER = "kube-apiserver-serving-clustertrustbundle-publisher-controller";
const BASES = join(__dirname, "../packages/apis/testdata/validation/bases.certificates.json");
const { trustBundle } = JSON.parse(readFileSync(BASES, "utf8")) as {
  readonly trustBundle: { readonly spec: { readonly trustBundle: string } };
};

interface Served {
  readonly release: string;
  readonly version: string;
  readonly isOptional: boolean;
  readonly prefix: string;
  /** Versions that are disabled. */
  readonly off?: readonly string[];
}

describe.each<[VocabularyName, Served]>([
  ["orch", { release: "1.36", version: "v1beta1", isOptional: true, prefix: "orch.io:apiserver-serving:" }],
  [
    "kubernetes",
    { release: "1.37", version: "v1", isOptional: false, prefix: "kubernetes.io:kube-apiserver-serving:" },
  ],
  [
    "orch",
    { release: "1.37", version: "v1beta1", isOptional: true, prefix: "orch.io:apiserver-serving:", off: ["v1"] },
  ],
])("in the vocabulary %s", (vocabulary, { release, version, isOptional, prefix, off = [] }) => {
  const { groups, signers } = vocabularyOf(vocabulary);
  const bundles: ResourceType<certificatesV1.ClusterTrustBundle> = {
    ...{ group: groups.certificates, version, resource: "clustertrustbundles" },
    ...{ kind: "ClusterTrustBundle", namespaced: false },
  };
  const nameOf = (pem: string) => prefix + createHash("sha256").update(pem).digest("hex").slice(0, 24);

  test(`${release} has one bundle of the signer, with the CA of the file`, async () => {
    const resource = `${groups.certificates}/${version}/clustertrustbundles`;
    const server = await startServer({
      vocabulary,
      flags: {
        "authorization-mode": ["RBAC"],
        "emulated-release": release,
        ...(isOptional && {
          "runtime-config": {
            [resource]: "true",
            ...Object.fromEntries(off.map((each) => [`${groups.certificates}/${each}`, "false"])),
          },
          "feature-gates": { ClusterTrustBundle: true },
        }),
      },
    });
    const admin = adminClient(server, { vocabulary });
    const stop = new AbortController();
    const file = join(workplace.folder(), `${vocabulary}-ca.crt`);
    const first = trustBundle.spec.trustBundle;
    writeFileSync(file, first);
    const foreign = { signerName: "example.com/mine", trustBundle: first };
    await admin.resource(bundles).create({ metadata: { name: "example.com:mine:a" }, spec: foreign });
    const former = { signerName: signers.apiserverServing, trustBundle: first };
    await admin.resource(bundles).create({ metadata: { name: `${prefix}former` }, spec: former });
    const running = runControllers(
      {
        connection: adminConnection(server),
        vocabulary,
        usesAccounts: true,
        log: { info() {}, warn() {}, error() {} },
        controllers: chosenControllers([CONTROLLER]),
        options: { "root-ca-file": file },
      },
      stop.signal,
    );
    const published = async () =>
      Object.fromEntries(
        (await admin.resource(bundles).list()).items.map(({ metadata, spec }) => [metadata?.name, spec]),
      );
    const becomes = async (pem: string) => {
      await eventually("the bundle of the CA replaces the former one", async () => {
        const names = Object.keys(await published());
        return names.includes(nameOf(pem)) && names.length === 2;
      });
      expect(await published()).toEqual({
        "example.com:mine:a": foreign,
        [nameOf(pem)]: { signerName: signers.apiserverServing, trustBundle: pem },
      });
    };
    try {
      await becomes(first);
      const second = `${first.trimEnd()}\n\n`;
      writeFileSync(file, second);
      await becomes(second);
      await admin.resource(bundles).delete(nameOf(second));
      await becomes(second);
    } finally {
      stop.abort();
      await running;
      admin.close();
      await server.stop();
    }
  }, 60_000);
});
