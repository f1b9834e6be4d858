// Validation of access reviews. Source: pkg/apis/authorization/validation/validation.go.

import { all, fields, type Rule, validator } from "@orch/apis-model";
import type { authorizationV1, JsonObject } from "@orch/schema";
import { selectorAttributes } from "./selector-attributes-validation";

type Review = authorizationV1.SubjectAccessReview;
type Spec = authorizationV1.SubjectAccessReviewSpec;

/** Rules of resource attributes. */
const attributes = fields<Spec>({ resourceAttributes: selectorAttributes });

/** Requires a user or a group. */
const subject: Rule<Spec> = ({ user = "", groups = [] }, at, report) => {
  if (user === "" && groups.length === 0) {
    report.invalid(at.field("user"), user, "at least one of user or group must be specified");
  }
};

/** Requires empty metadata, because reviews are not stored. @param allowed a field that may be set */
const emptyMetadata =
  (allowed?: string): Rule<Review> =>
  (review, at, report) => {
    const metadata = (review.metadata ?? {}) as JsonObject;
    const isSet = Object.entries(metadata).some(
      ([name, value]) => name !== "managedFields" && name !== allowed && !isEmpty(value),
    );
    if (!isSet) return;
    report.invalid(
      at.field("metadata"),
      metadata,
      `must be empty${allowed === undefined ? "" : ` except for ${allowed}`}`,
    );
  };

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === 0;
}

/** Requires that the namespace of a LocalSubjectAccessReview matches its resource attributes. */
const inNamespace: Rule<Review> = ({ metadata, spec }, at, report) => {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const place = at.field("spec");
  const asked = resourceAttributes?.namespace ?? "";
  if (resourceAttributes !== undefined && asked !== (metadata?.namespace ?? "")) {
    report.invalid(place.field("resourceAttributes").field("namespace"), asked, "must match metadata.namespace");
  }
  if (nonResourceAttributes !== undefined) {
    const detail = "disallowed on this kind of request";
    report.invalid(place.field("nonResourceAttributes"), nonResourceAttributes, detail);
  }
};

const aboutSomebody = fields<Review>({ spec: all<Spec>(attributes, subject) });

export const validateSubjectAccessReview = validator(all<Review>(aboutSomebody, emptyMetadata()));
export const validateLocalSubjectAccessReview = validator(
  all<Review>(aboutSomebody, emptyMetadata("namespace"), inNamespace),
);
export const validateSelfSubjectAccessReview = validator(
  all<Review>(fields<Review>({ spec: attributes }), emptyMetadata()),
);
