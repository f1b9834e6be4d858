// Validation of cluster trust bundles: names, and anchors that are certificates of authorities. Source:
// pkg/apis/certificates/validation/validation.go.
import { X509Certificate } from "node:crypto";
import { type Place, type Report, type Rule, type UpdateRule, updateValidator, validator } from "@orch/apis-model";
import { metaOf, NAME_RULES } from "@orch/machinery";
import { certificateFields, DER_TAG, derValues, extensionsHeldBy } from "@orch/platform";
import type { certificatesV1beta1, JsonObject } from "@orch/schema";
import { type PemBlock, pemBlocks } from "./pem-blocks";
import { signerName } from "./signer-name";

type Bundle = certificatesV1beta1.ClusterTrustBundle;

const BUNDLE_MAX_BYTES = 1024 * 1024;
const OMITTED = "<value omitted>";
const BASIC_CONSTRAINTS = "2.5.29.19";

const named: Rule<Bundle> = (bundle, at, report) => {
  const { name = "" } = metaOf(bundle as JsonObject);
  const place = at.field("metadata").field("name");
  const { signerName: signer = "" } = bundle.spec;
  if (signer !== "") signerName(signer, at.field("spec").field("signerName"), report);
  const prefix = signer === "" ? "" : `${signer.replaceAll("/", ":")}:`;
  if (signer === "" && name.includes(":"))
    report.invalid(place, name, 'ClusterTrustBundle without signer name must not have ":" in its name');
  else if (!name.startsWith(prefix))
    report.invalid(place, name, `ClusterTrustBundle for signerName ${signer} must be named with prefix ${prefix}`);
  else report.misformed(place, name, NAME_RULES.subdomain(name.slice(prefix.length), false));
};

/** @param known the stored bundle, whose anchors are not parsed again */
function anchors(text: string, at: Place, report: Report, known = ""): void {
  if (Buffer.byteLength(text) > BUNDLE_MAX_BYTES) {
    report.tooLong(at, BUNDLE_MAX_BYTES);
    return;
  }
  const before = report.errors.length;
  const isKnown = new Set<string>();
  for (const block of pemBlocks(known)) isKnown.add(identityOf(block));
  const places = new Map<string, number[]>();
  let position = -1;
  for (const block of pemBlocks(text)) {
    position += 1;
    const identity = identityOf(block);
    const positions = places.get(identity);
    const problem = positions === undefined && !isKnown.has(identity) ? anchorProblem(block) : undefined;
    if (problem === undefined) {
      if (positions === undefined) places.set(identity, [position]);
      else positions.push(position);
    } else {
      report.invalid(at, OMITTED, `entry ${position} ${problem}`);
      // Each further certificate would cost time and is not shown.
      if (report.isFull) return;
    }
  }
  // A malformed entry may be the one that seems to be missing.
  if (report.errors.length === before) checkSet(places, at, report);
}

/** Returns a text that is the same for equal blocks only. */
const identityOf = ({ label, hasHeaders, bytes }: PemBlock): string =>
  `${label}${hasHeaders ? ":" : "-"}${bytes.toString("latin1")}`;

function checkSet(places: ReadonlyMap<string, readonly number[]>, at: Place, report: Report): void {
  if (places.size === 0) report.invalid(at, OMITTED, "at least one trust anchor must be provided");
  for (const positions of places.values()) {
    if (positions.length > 1) report.invalid(at, OMITTED, `duplicate trust anchor (indices [${positions.join(" ")}])`);
  }
}

function anchorProblem({ label, hasHeaders, bytes }: PemBlock): string | undefined {
  if (label !== "CERTIFICATE") return `has bad block type: ${label}`;
  if (hasHeaders) return "has PEM block headers";
  try {
    return isAuthority(new X509Certificate(bytes).raw) ? undefined : "does not have the CA bit set";
  } catch {
    return "does not parse as X.509";
  }
}

/** Reads the basic constraints. `X509Certificate.ca` also depends on the usages of the key. */
function isAuthority(raw: Buffer): boolean {
  const { extensions } = certificateFields(raw);
  const constraints = extensionsHeldBy(extensions).find(({ oid }) => oid === BASIC_CONSTRAINTS);
  if (constraints === undefined) return false;
  const [sequence] = derValues(constraints.value);
  const [ca] = derValues(sequence?.content ?? Buffer.alloc(0));
  return ca?.tag === DER_TAG.boolean && ca.content[0] !== 0;
}

const trustBundlePlace = (at: Place): Place => at.field("spec").field("trustBundle");

export const validateTrustBundle = validator<Bundle>(named);

export const validateNewTrustBundle = validator<Bundle>(({ spec }, at, report) =>
  anchors(spec.trustBundle ?? "", trustBundlePlace(at), report),
);

/** An unchanged bundle is not read again: a server whose libraries are stricter can still update its metadata. */
const changedBundle: UpdateRule<Bundle> = ({ spec: next }, { spec: old }, at, report) => {
  if (next.trustBundle !== old.trustBundle)
    anchors(next.trustBundle ?? "", trustBundlePlace(at), report, old.trustBundle);
};

export const validateTrustBundleUpdate = updateValidator<Bundle>(changedBundle);
