// Validation of projected sources with certificates: trust bundles and pod certificates. Source: KEP-3257, "Cluster Trust
// Bundles"; KEP-4317, "Pod Certificates"; pkg/apis/core/validation/validation.go.

import {
  domainPrefixedPath,
  isAbsent,
  labelSelector,
  oneOf,
  type Place,
  type Report,
  type Rule,
  unreservedPath,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

const SECONDS_MIN = 3600;
/** Maximum lifetime of a certificate in seconds: 91 days. */
const SECONDS_MAX = 91 * 24 * 3600;

const keyTypes = oneOf("ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519", "RSA3072", "RSA4096");

export const trustBundleSource: Rule<coreV1.ClusterTrustBundleProjection> = (source, at, report) => {
  if (!report.features.isOn("ClusterTrustBundleProjection")) return;
  const { name, signerName, labelSelector: selector, path } = source;
  if (name !== undefined && signerName !== undefined) {
    report.invalid(at, source, "only one of name and signerName may be used");
  } else if (name !== undefined) {
    if (name === "") report.required(at.field("name"), "must be a valid object name");
    if (selector !== undefined) {
      report.invalid(at.field("labelSelector"), selector, "labelSelector must be unset if name is specified");
    }
  } else if (signerName !== undefined) {
    signer(signerName, at.field("signerName"), report);
    if (selector !== undefined) labelSelector(selector, at.field("labelSelector"), report);
  } else report.required(at, "either name or signerName must be specified");
  if (isAbsent(path)) report.required(at.field("path"));
  else unreservedPath(path, at.field("path"), report);
};

function signer(name: string | undefined, at: Place, report: Report): void {
  if (name === undefined || name === "") report.required(at, "must be a valid signer name");
  else domainPrefixedPath(name, at, report);
}

/** Paths of the files of a pod certificate. */
export const CERTIFICATE_PATHS = ["credentialBundlePath", "keyPath", "certificateChainPath"] as const;

export const podCertificateSource: Rule<coreV1.PodCertificateProjection> = (source, at, report) => {
  if (!report.features.isOn("PodCertificateRequest")) return;
  signer(source.signerName, at.field("signerName"), report);
  keyTypes(source.keyType ?? "", at.field("keyType"), report);
  const { maxExpirationSeconds: seconds } = source;
  const place = at.field("maxExpirationSeconds");
  if (seconds !== undefined && seconds < SECONDS_MIN) report.invalid(place, seconds, `must be >= ${SECONDS_MIN}`);
  if (seconds !== undefined && seconds > SECONDS_MAX) report.invalid(place, seconds, `must be <= ${SECONDS_MAX}`);
  let count = 0;
  for (const name of CERTIFICATE_PATHS) {
    const path = source[name];
    if (path === undefined || path === "") continue;
    count += 1;
    unreservedPath(path, at.field(name), report);
  }
  if (count === 0) {
    report.required(at, "specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
  }
};
