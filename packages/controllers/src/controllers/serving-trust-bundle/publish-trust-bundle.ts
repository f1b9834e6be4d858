// Publisher of the trust bundle for the signer of the API server's serving certificates. The bundle's name contains a
// hash of its content, so that a changed CA gets an object of its own; the former ones are deleted afterwards.
// Source: pkg/controller/certificates/clustertrustbundlepublisher/publisher.go; KEP-3257 "Cluster Trust Bundles".
import { createHash } from "node:crypto";
import {
  type Client,
  InformerFactory,
  type QueueMetrics,
  type ResourceType,
  runWorkers,
  WorkQueue,
} from "@orch/client";
import { isCode } from "@orch/machinery";
import { type certificatesV1, vocabularyOf } from "@orch/schema";
import type { FollowedFile } from "../../framework/followed-file";
import { servedVersion } from "../../framework/served-version";

type Bundle = certificatesV1.ClusterTrustBundle;

export interface TrustBundleOptions {
  readonly client: Client;
  readonly metrics?: (queue: string) => QueueMetrics;
  /** PEM. */
  readonly authority: FollowedFile<string | undefined>;
}

/** The preferred one first. */
export const BUNDLE_VERSIONS = ["v1", "v1beta1"] as const;
const RETRIES = { firstMs: 5, maxMs: 60_000, perSecond: 50, burst: 500 };
const HASH_BYTES = 12;
/** Key of the only item of the queue. */
const ALL = "bundles";

/** Returns the name of a signer's bundle. */
function bundleName(signer: string, pem: string): string {
  const hash = createHash("sha256").update(pem).digest().subarray(0, HASH_BYTES).toString("hex");
  return `${signer.replaceAll("/", ":")}:${hash}`;
}

/** Runs the controller until the signal is aborted. */
export async function publishTrustBundle(options: TrustBundleOptions, signal: AbortSignal): Promise<void> {
  const { client, authority, metrics } = options;
  if (authority.current === undefined) {
    client.log.warn("no trust bundle is published: set --root-ca-file, or add a CA to the client configuration");
    return;
  }
  const { groups, signers } = vocabularyOf(client.vocabulary);
  const signerName = signers.apiserverServing;
  const names = { group: groups.certificates, resource: "clustertrustbundles" };
  const version = await servedVersion({ ...names, versions: BUNDLE_VERSIONS }, client, signal);
  if (version === undefined) return;
  const type: ResourceType<Bundle> = { ...names, version, kind: "ClusterTrustBundle", namespaced: false };
  const bundles = client.resource(type);
  const factory = new InformerFactory(client);
  const queue = new WorkQueue({ retries: RETRIES, metrics: metrics?.("ca_cert_publisher_cluster_trust_bundles") });
  const informer = factory.informer(type, { fieldSelector: `spec.signerName=${signerName}` });
  const look = () => queue.add(ALL);
  informer.addHandler({ added: look, updated: look, deleted: look });
  factory.start(signal);
  await factory.synced(signal).catch(() => {});
  authority.follow(look, signal);
  look();

  async function reconcile(): Promise<undefined> {
    const trustBundle = authority.current ?? "";
    const name = bundleName(signerName, trustBundle);
    const found = informer.store.get(name);
    try {
      if (found === undefined) await bundles.create({ metadata: { name }, spec: { signerName, trustBundle } });
      else if (found.spec?.trustBundle !== trustBundle)
        await bundles.update({ ...found, spec: { signerName, trustBundle } });
    } catch (error) {
      // Another manager was faster, and the watch reports its object.
      if (!isCode(error, 409)) throw error;
    }
    for (const { metadata } of [...informer.store.values()]) {
      if (metadata?.name === undefined || metadata.name === name) continue;
      try {
        await bundles.delete(metadata.name);
      } catch (error) {
        if (!isCode(error, 404)) throw error;
      }
    }
  }
  await runWorkers({ queue, workers: 1, signal, log: client.log, reconcile });
  await factory.stopped();
}
