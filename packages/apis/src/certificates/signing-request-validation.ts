// Validation of certificate signing requests and of answers by approvers and signers. v1 is stricter than v1beta1, and
// an update need not correct violations of the stored object. Source: pkg/apis/certificates/validation/validation.go.

import {
  absentAs,
  all,
  each,
  fields,
  oneOf,
  type Report,
  type Rule,
  required,
  type UpdateRule,
  unique,
  unlessBrokenBefore,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { certificatesV1 } from "@orch/schema";
import { certificateChainError } from "./certificate-chain";
import { certificationRequestError } from "./certification-request";
import { signerName } from "./signer-name";

type Request = certificatesV1.CertificateSigningRequest;
type Spec = certificatesV1.CertificateSigningRequestSpec;
type Status = certificatesV1.CertificateSigningRequestStatus;
type Condition = certificatesV1.CertificateSigningRequestCondition;

const USAGES: ReadonlySet<string> = new Set([
  "signing",
  "digital signature",
  "content commitment",
  "key encipherment",
  "key agreement",
  "data encipherment",
  "cert sign",
  "crl sign",
  "encipher only",
  "decipher only",
  "any",
  "server auth",
  "client auth",
  "code signing",
  "email protection",
  "s/mime",
  "ipsec end system",
  "ipsec tunnel",
  "ipsec user",
  "timestamping",
  "ocsp signing",
  "microsoft sgc",
  "netscape sgc",
]);

/** Decisions, which are final. */
const DECISIONS = ["Approved", "Denied"];
const LASTING = [...DECISIONS, "Failed"];

const onlyTrue = oneOf("True");
const anyStatus = oneOf("False", "True", "Unknown");

const conditionStatus: Rule<Condition> = ({ type, status }, at, report) => {
  const place = at.field("status");
  if (status === "") report.required(place);
  else (LASTING.includes(type) ? onlyTrue : anyStatus)(status, place, report);
};

/** Minimum of `expirationSeconds`. Source: KEP-2784, "CSR Duration". */
const SECONDS_MIN = 600;

/** Rules of every version, on create and update. */
const always = fields<Request>({
  spec: fields<Spec>({
    request: absentAs("", (encoded, at, report) => {
      const error = certificationRequestError(encoded);
      if (error !== undefined) report.invalid(at, encoded, error);
    }),
    usages: required(),
    signerName: required(signerName),
    expirationSeconds: (seconds, at, report) => {
      if (seconds < SECONDS_MIN)
        report.invalid(at, seconds, "may not specify a duration less than 600 seconds (10 minutes)");
    },
  }),
  status: fields<Status>({ conditions: each(conditionStatus) }),
});

const ofUsages = (rule: Rule<readonly string[]>): Rule<Request> =>
  fields<Request>({ spec: fields<Spec>({ usages: rule }) });
const ofConditions = (rule: Rule<readonly Condition[]>): Rule<Request> =>
  fields<Request>({ status: fields<Status>({ conditions: rule }) });

/** Additional rules of v1. */
const SINCE_V1: readonly Rule<Request>[] = [
  ofUsages(each(oneOf(...USAGES))),
  ofUsages(unique((usage) => usage)),
  fields<Request>({
    spec: fields<Spec>({
      signerName: (name, at, report) => {
        const { legacyUnknown } = report.vocabulary.signers;
        if (name === legacyUnknown) report.invalid(at, name, "is not allowed via this API version");
      },
    }),
  }),
  ofConditions(each(fields<Condition>({ type: required() }))),
  // proto/ declares the rule since 1.36.
  ofConditions((conditions, at, report) => {
    if (report.features.since("1.36")) return;
    const second = conditions.findLastIndex(({ type }) => DECISIONS.includes(type));
    if (!DECISIONS.every((decision) => conditions.some(({ type }) => type === decision))) return;
    const detail = "Approved and Denied conditions are mutually exclusive";
    report.invalid(at.item(second).field("type"), conditions[second]?.type, detail);
  }),
  ofConditions(unique(({ type }) => type, { field: "type" })),
  fields<Request>({
    status: fields<Status>({
      certificate: (encoded, at, report) => {
        const error = certificateChainError(encoded);
        if (error !== undefined) report.invalid(at, "<certificate data>", error);
      },
    }),
  }),
];

const isV1 = ({ version }: Report): boolean => version.version === "v1";

const sinceV1 = all(...SINCE_V1);
const stillSinceV1 = SINCE_V1.map(unlessBrokenBefore);

export const validateNewSigningRequest = validator<Request>((request, at, report) => {
  always(request, at, report);
  if (isV1(report)) sinceV1(request, at, report);
});

/** Parts of the status that an endpoint may change. */
interface Leave {
  readonly decides: boolean;
  readonly signs: (old: Request, report: Report) => boolean;
}

const conditionsOf = ({ status }: Request): readonly Condition[] => status?.conditions ?? [];

const decisions =
  ({ decides }: Leave): UpdateRule<Request> =>
  (next, old, at, report) => {
    const place = at.field("status").field("conditions");
    for (const type of LASTING) {
      const ofType = (request: Request) => conditionsOf(request).filter((each) => each.type === type).length;
      if (ofType(next) < ofType(old)) report.forbidden(place, `updates may not remove a condition of type "${type}"`);
      if (!decides && DECISIONS.includes(type) && ofType(next) > ofType(old)) {
        report.forbidden(place, `updates may not add a condition of type "${type}"`);
      }
    }
  };

const certificate =
  ({ signs }: Leave): UpdateRule<Request> =>
  (next, old, at, report) => {
    const [now = "", before = ""] = [next.status?.certificate, old.status?.certificate];
    if (now === before || signs(old, report)) return;
    report.forbidden(
      at.field("status").field("certificate"),
      "updates may not set or modify existing certificate content",
    );
  };

function validateChange(leave: Leave) {
  const rules = [decisions(leave), certificate(leave)];
  return updateValidator<Request>((next, old, at, report) => {
    always(next, at, report);
    if (isV1(report)) for (const rule of stillSinceV1) rule(next, old, at, report);
    for (const rule of rules) rule(next, old, at, report);
  });
}

const never = () => false;

export const validateSigningRequestUpdate = validateChange({ decides: false, signs: never });
export const validateApproval = validateChange({ decides: true, signs: never });
export const validateSigningRequestStatus = validateChange({
  decides: false,
  signs: (old, report) => !isV1(report) || (old.status?.certificate ?? "") === "",
});
