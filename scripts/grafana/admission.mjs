// The dashboard of admission and webhooks.
import { max, orZero, quantile, rate } from "./expressions.mjs";

export const ADMISSION = {
  uid: "orch-admission",
  title: "Orch / Admission and webhooks",
  about: "Admission plugins, policies and webhooks, conversion webhooks, and aggregated API servers.",
  rows: [
    {
      title: "Admission",
      panels: [
        {
          title: "Duration of admission",
          about: "99th percentile of the time in all plugins, by step.",
          unit: "s",
          queries: [["{{type}}", quantile(0.99, "type", "apiserver_admission_step_admission_duration_seconds")]],
        },
        {
          title: "Slowest plugins",
          about: "99th percentile of the time in a plugin.",
          unit: "s",
          queries: [
            [
              "{{name}}",
              `topk(10, ${quantile(0.99, "name", "apiserver_admission_controller_admission_duration_seconds")})`,
            ],
          ],
        },
        {
          title: "Rejections by plugins",
          about: "Requests per second that a plugin rejects.",
          unit: "reqps",
          queries: [
            [
              "{{name}}",
              orZero(
                rate("name", "apiserver_admission_controller_admission_duration_seconds_count", 'rejected="true"'),
              ),
            ],
          ],
        },
        {
          title: "Policies",
          about: "Checks of validating admission policies per second, by policy and action.",
          unit: "ops",
          queries: [
            [
              "{{policy}} {{enforcement_action}}",
              orZero(rate("policy, enforcement_action", "apiserver_validating_admission_policy_check_total")),
            ],
          ],
        },
        {
          title: "Pod security",
          about: "Evaluations of the pod security standards per second.",
          unit: "ops",
          queries: [["{{mode}} {{decision}}", orZero(rate("mode, decision", "pod_security_evaluations_total"))]],
        },
        {
          title: "Expressions",
          about: "99th percentile of the time of an evaluation in CEL.",
          unit: "s",
          queries: [["", orZero(quantile(0.99, "", "apiserver_cel_evaluation_duration_seconds"))]],
        },
      ],
    },
    {
      title: "Admission webhooks",
      panels: [
        {
          title: "Calls",
          about: "Calls per second, by webhook and code.",
          unit: "reqps",
          queries: [["{{name}} {{code}}", rate("name, code", "apiserver_admission_webhook_request_total")]],
        },
        {
          title: "Duration",
          about: "99th percentile of the duration of calls, by webhook.",
          unit: "s",
          queries: [["{{name}}", quantile(0.99, "name", "apiserver_admission_webhook_admission_duration_seconds")]],
        },
        {
          title: "Failing webhooks",
          about: "1 for each webhook that keeps failing and is skipped.",
          unit: "short",
          queries: [["{{name}}", max("name", "apiserver_admission_webhook_circuit_broken")]],
        },
        {
          title: "Rejections",
          about: "Requests per second that a webhook rejects, or that are rejected because it failed.",
          unit: "reqps",
          queries: [
            ["{{name}} {{error_type}}", rate("name, error_type", "apiserver_admission_webhook_rejection_count")],
          ],
        },
        {
          title: "Continued without the webhook",
          about: "Requests per second that continue although the webhook failed, and calls that were not made.",
          unit: "reqps",
          queries: [
            ["failed {{name}}", orZero(rate("name", "apiserver_admission_webhook_fail_open_count"))],
            [
              "not called {{name}} {{reason}}",
              orZero(rate("name, reason", "apiserver_admission_webhook_withheld_total")),
            ],
          ],
        },
        {
          title: "Match conditions",
          about: "Requests per second that match conditions exclude, and conditions that fail.",
          unit: "reqps",
          queries: [
            ["excluded {{name}}", orZero(rate("name", "apiserver_admission_match_condition_exclusions_total"))],
            ["failed {{name}}", orZero(rate("name", "apiserver_admission_match_condition_evaluation_errors_total"))],
          ],
        },
      ],
    },
    {
      title: "Extensions",
      panels: [
        {
          title: "Conversion webhooks",
          about: "Calls per second, by outcome. Since release 1.29.",
          unit: "reqps",
          queries: [
            [
              "{{result}} {{failure_type}}",
              orZero(rate("result, failure_type", "apiserver_conversion_webhook_request_total")),
            ],
          ],
        },
        {
          title: "Unavailable aggregated APIs",
          about: "1 for each APIService whose server is unavailable.",
          unit: "short",
          queries: [["{{name}}", orZero(max("name", "aggregator_unavailable_apiservice"))]],
        },
        {
          title: "Deprecated APIs in use",
          about: "1 for each deprecated API that was requested.",
          unit: "short",
          queries: [
            [
              "{{group}}/{{version}} {{resource}}",
              orZero(max("group, version, resource, removed_release", "apiserver_requested_deprecated_apis")),
            ],
          ],
        },
      ],
    },
  ],
};
