// Validation of `spec.conversion`. Errors use the field names of v1beta1. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.

import { oneOf, type Rule, reviewVersions, speaksReviews, webhookClient } from "@orch/apis-model";
import { type Definition, SPEC } from "./definition-parts";

const CONVERSION = SPEC.field("conversion");
const CLIENT = CONVERSION.field("webhookClientConfig");
const REVIEWS = CONVERSION.field("conversionReviewVersions");

const strategies = oneOf("None", "Webhook");
const formats = reviewVersions(false);

export const definitionConversionRule: Rule<Definition> = ({ spec }, _at, report) => {
  const { conversion, preserveUnknownFields } = spec;
  if (conversion === undefined) return;
  const { strategy, webhookClientConfig, conversionReviewVersions } = conversion;
  const place = CONVERSION.field("strategy");
  if (strategy === "") report.required(place);
  else strategies(strategy, place, report);
  if (strategy !== "None" && preserveUnknownFields === true) {
    report.invalid(place, strategy, "must be None if spec.preserveUnknownFields is true");
  }
  const reviews = conversionReviewVersions ?? [];
  if (strategy === "Webhook") {
    if (webhookClientConfig === undefined) report.required(CLIENT, "required when strategy is set to Webhook");
    else webhookClient(webhookClientConfig, CLIENT, report);
    if (reviews.length === 0) report.required(REVIEWS);
    else formats(reviews, REVIEWS, report);
  } else {
    if (webhookClientConfig !== undefined)
      report.forbidden(CLIENT, "should not be set when strategy is not set to Webhook");
    if (reviews.length > 0) report.forbidden(REVIEWS, "should not be set when strategy is not set to Webhook");
  }
};

/** Requires that a webhook supports at least one version of ConversionReview that the server supports. */
export const knownReviews: Rule<Definition> = ({ spec }, _at, report) => {
  const { strategy = "None", conversionReviewVersions } = spec.conversion ?? {};
  const reviews = conversionReviewVersions ?? [];
  if (strategy !== "Webhook" || reviews.length === 0 || speaksReviews(reviews)) return;
  report.invalid(REVIEWS, reviews, "must include at least one of v1, v1beta1");
};
