// PodCertificateRequest. Source: KEP-4317, "Pod Certificates"; pkg/printers/internalversion/printers.go.
import {
  type BuiltInResource,
  type CellObject,
  column,
  labelsText,
  nameColumn,
  objectAt,
  type RuleContext,
  text,
  wide,
} from "@orch/apis-model";
import { type certificatesV1beta1, isObject, type JsonObject } from "@orch/schema";
import { validatePodRequestStatus } from "./pod-request-status-validation";
import { validatePodRequest, validatePodRequestUpdate } from "./pod-request-validation";

type PodRequest = certificatesV1beta1.PodCertificateRequest;

/** About 100 certificates of a chain, which take some 20 ms to read. A worker thread handles longer answers. */
const LONG_BYTES = 48 * 1024;

/** Fields of v1beta1 in place of which v1 has only the stub of a request. */
const BETA_KEY_FIELDS = ["pkixPublicKey", "proofOfPossession"] as const;

export const podCertificateRequests = {
  group: "certificates",
  kind: "PodCertificateRequest",
  plural: "podcertificaterequests",
  scope: "Namespaced",
  requiredGate: "PodCertificateRequest",
  longBytes: LONG_BYTES,
  versions: [
    { version: "v1", introduced: "1.37", conversion: { toHub: (object) => object, fromHub: withoutBetaKey } },
    { version: "v1beta1", introduced: "1.35", deprecated: "1.37", removed: "1.40", replacement: "certificates/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    unconditionalUpdate: false,
    initialStatus: {},
    keepOnUpdate: ["status"],
    update: keepBetaKey,
    validateCreate: validatePodRequest,
    validateUpdate: validatePodRequestUpdate,
  },
  subresources: {
    status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: validatePodRequestStatus },
  },
  selectableFields: {
    "spec.signerName": text("spec.signerName"),
    "spec.podName": text("spec.podName"),
    "spec.nodeName": text("spec.nodeName"),
  },
  columns: [
    nameColumn,
    column<PodRequest>("PodName", "The pod that the certificate is for.", ({ spec }) => spec?.podName ?? ""),
    column<PodRequest>("ServiceAccountName", "The service account of the pod.", ({ spec }) => {
      return spec?.serviceAccountName ?? "";
    }),
    column<PodRequest>("NodeName", "The node of the pod.", ({ spec }) => spec?.nodeName ?? ""),
    column<PodRequest>("SignerName", "The signer that is asked.", ({ spec }) => spec?.signerName ?? ""),
    column<PodRequest>("State", "Whether the request is Pending, Issued, Denied or Failed.", state),
    wide(
      column<PodRequest>("UnverifiedUserAnnotations", "Values of the pod's author for the signer.", ({ spec }) =>
        labelsText(spec?.unverifiedUserAnnotations),
      ),
    ),
  ],
} as const satisfies BuiltInResource;

function state({ status }: CellObject<PodRequest>): string {
  const found = status?.conditions?.findLast(({ type }) => type === "Issued" || type === "Denied" || type === "Failed");
  return found?.type ?? "Pending";
}

function withoutBetaKey(object: JsonObject): JsonObject {
  const { spec } = object;
  if (isObject(spec)) for (const field of BETA_KEY_FIELDS) delete spec[field];
  return object;
}

/** Keeps the fields that a client of v1 does not see, because the spec cannot change. */
function keepBetaKey(object: JsonObject, old: JsonObject, { request }: RuleContext): void {
  if (request?.version.version !== "v1") return;
  const { spec: stored } = old;
  if (!isObject(stored)) return;
  const spec = objectAt(object, "spec");
  for (const field of BETA_KEY_FIELDS) if (stored[field] !== undefined) spec[field] = stored[field];
}
