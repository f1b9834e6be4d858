// ClusterTrustBundle. Source: KEP-3257, "Cluster Trust Bundles"; pkg/printers/internalversion/printers.go.
import { type BuiltInResource, column, nameColumn, text } from "@orch/apis-model";
import type { certificatesV1beta1 } from "@orch/schema";
import { validateNewTrustBundle, validateTrustBundle, validateTrustBundleUpdate } from "./trust-bundle-validation";

/** About 100 certificates, which take some 20 ms to read. A worker thread handles longer bundles. */
const LONG_BYTES = 48 * 1024;

type Bundle = certificatesV1beta1.ClusterTrustBundle;

export const clusterTrustBundles = {
  group: "certificates",
  kind: "ClusterTrustBundle",
  plural: "clustertrustbundles",
  scope: "Cluster",
  requiredGate: "ClusterTrustBundle",
  longBytes: LONG_BYTES,
  versions: [
    { version: "v1", introduced: "1.37" },
    { version: "v1beta1", introduced: "1.33", deprecated: "1.37", removed: "1.40", replacement: "certificates/v1" },
    { version: "v1alpha1", introduced: "1.26", deprecated: "1.34", removed: "1.37" },
  ],
  rules: {
    nameFormat: "pathSegment",
    unconditionalUpdate: false,
    declared: true,
    validate: validateTrustBundle,
    validateCreate: validateNewTrustBundle,
    validateUpdate: validateTrustBundleUpdate,
  },
  selectableFields: { "spec.signerName": text("spec.signerName") },
  columns: [
    nameColumn,
    column<Bundle>("SignerName", "The signer of the certificates.", ({ spec }) => spec?.signerName || "<none>"),
  ],
} as const satisfies BuiltInResource;
