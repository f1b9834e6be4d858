import {
  ageColumn,
  type BuiltInResource,
  type CellObject,
  column,
  nameColumn,
  objectAt,
  type RuleContext,
  text,
} from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import { type certificatesV1, isObject, type JsonObject } from "@orch/schema";
import { restoreDecisions, timeConditions } from "./request-conditions";
import { chooseSigner } from "./signer-choice";
import {
  validateApproval,
  validateNewSigningRequest,
  validateSigningRequestStatus,
  validateSigningRequestUpdate,
} from "./signing-request-validation";

type SigningRequest = certificatesV1.CertificateSigningRequest;

/** Columns of certificate signing requests. Source: pkg/printers/internalversion/printers.go. */
const signingRequestColumns: readonly TableColumn[] = [
  nameColumn,
  ageColumn,
  column<SigningRequest>("SignerName", "Signer of the request.", ({ spec }) => spec?.signerName || "<none>"),
  column<SigningRequest>("Requestor", "Who asks.", ({ spec }) => spec?.username ?? ""),
  column<SigningRequest>("Condition", "What was decided, and what became of it.", progress),
];

function progress({ status }: CellObject<SigningRequest>): string {
  const has = (wanted: string) => status?.conditions?.some(({ type }) => type === wanted) ?? false;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return `${decision}${has("Failed") ? ",Failed" : ""}${status?.certificate ? ",Issued" : ""}`;
}

export const certificateSigningRequests = {
  group: "certificates",
  kind: "CertificateSigningRequest",
  plural: "certificatesigningrequests",
  shortNames: ["csr"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.19" },
    {
      version: "v1beta1",
      defaults: { fields: { "spec.usages": ["digital signature", "key encipherment"] }, then: chooseSigner },
      introduced: "1.12",
      deprecated: "1.19",
      removed: "1.22",
      replacement: "certificates/v1",
    },
  ],
  rules: {
    nameFormat: "pathSegment",
    initialStatus: {},
    keepOnUpdate: ["spec", "status"],
    declared: true,
    create: signWithRequester,
    validateCreate: validateNewSigningRequest,
    validateUpdate: validateSigningRequestUpdate,
  },
  subresources: {
    status: {
      keeps: ["spec"],
      update: (object, old, context) => {
        restoreDecisions(object, old, context);
        timeConditions(object, old, context);
      },
      validateUpdate: validateSigningRequestStatus,
    },
    approval: { keeps: ["spec"], update: takeConditions, validateUpdate: validateApproval },
  },
  selectableFields: { "spec.signerName": text("spec.signerName") },
  columns: signingRequestColumns,
} as const satisfies BuiltInResource;

const REQUESTER_FIELDS = ["username", "uid", "groups", "extra"];

/** Sets the requester from the authenticated user, whatever the body says. */
function signWithRequester(object: JsonObject, { request, features }: RuleContext): void {
  const spec = objectAt(object, "spec");
  // Releases without the feature ignore the field.
  if (!features.isOn("CSRDuration")) delete spec["expirationSeconds"];
  for (const field of REQUESTER_FIELDS) delete spec[field];
  if (request === undefined) return;
  const { name, uid, groups, extra = {} } = request.user;
  spec["username"] = name;
  if (uid !== undefined && uid !== "") spec["uid"] = uid;
  if (groups.length > 0) spec["groups"] = [...groups];
  const entries = Object.entries(extra);
  if (entries.length > 0) spec["extra"] = Object.fromEntries(entries.map(([key, values]) => [key, [...values]]));
}

/** Takes only the conditions from an update of the approval subresource. */
function takeConditions(object: JsonObject, old: JsonObject, context: RuleContext): void {
  const { conditions } = objectAt(object, "status");
  const { conditions: _, ...stored } = isObject(old["status"]) ? old["status"] : {};
  object["status"] = conditions === undefined ? stored : { ...stored, conditions };
  timeConditions(object, old, context);
}
