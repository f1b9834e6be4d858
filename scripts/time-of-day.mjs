// Source files that may read the time of day, by purpose. Durations are measured with the monotonic clock (`elapsed()`
// of Clock, or `performance.now()`), because the time of day can be set forward or back at any moment.
// check-repository.mjs, which `make lint` runs, rejects the time of day in any other file.
const FILES = {
  // Stored in an object, a file or a certificate.
  stored: [
    "server-admission/webhooks/admission-webhooks.ts",
    "audit/backends/log-file.ts",
    "apiserver/migration/open-migration.ts",
    "apiserver-program/program/store-commands.ts",
    "apiserver/server/assembly.ts",
    "apiserver/server/built-in-serving.ts",
    "apiserver/server/flow-control.ts",
    "apiserver/server/legacy-tokens/legacy-tokens.ts",
    "client/election/leader-election.ts",
    "client/events/event-recorder.ts",
    "controllers/controllers/certificate-approval/approve-requests.ts",
    "controllers/controllers/certificate-signing/sign-requests.ts",
    "controllers/controllers/pod-garbage/collect-pods.ts",
    "controllers/controllers/namespace/end-namespaces.ts",
    "controllers/serving/serving-material.ts",
    "extensions/aggregation/availability-controller.ts",
    "extensions/definitions/definition-cleanup.ts",
    "extensions/definitions/served-definitions.ts",
    "machinery/objects/system-metadata.ts",
    "registry/write/delete.ts",
    "registry/write/companion-text.ts",
    "registry/write/field-tracking.ts",
    "registry/write/patch.ts",
    "registry/write/prepared-seeds.ts",
    "registry/write/write-step.ts",
  ],
  // Shown to users as a time or an age.
  shown: [
    "observability/tracing/otlp-tracer.ts",
    "server-admission/webhooks/open-webhook-caller.ts",
    "audit/recording/audit-record.ts",
    "apiserver/deprecations/deprecated-requests.ts",
    "flow-control/control/debug-pages.ts",
    "apiserver/server/http-endpoint.ts",
    "apiserver/server/large-objects/large-object-server.ts",
    "controllers/program/line-log.ts",
    "platform/logging/log-output.ts",
    "server-config/authentication/trusted-issuers.ts",
    "server-config/encryption/kms-observer.ts",
    "server-config/external-signer/signer-observer.ts",
    "server-config/option-files/reloaded-file.ts",
  ],
  // Compared with a time of a certificate, a token or an object.
  verified: [
    "apis-model/model/rules/report.ts",
    "admission/plugins/resource-quota/resource-quota.ts",
    "apiserver-program/program/open-server.ts",
    "apiserver/server/authentication-methods.ts",
    "apiserver/server/open-api-server.ts",
    "apiserver/server/start-server.ts",
    "http-server/tls/self-signed-ca.ts",
    "auth/authentication/client-certificate.ts",
    "auth/oidc/distributed-claims.ts",
    "auth/oidc/jwt-authenticator.ts",
    "auth/authentication/request-headers.ts",
    "auth/tokens/remembered-tokens.ts",
    "client/connection/exec-credentials.ts",
    "controllers/controllers/bootstrap-signing/sign-cluster-info.ts",
    "controllers/controllers/certificate-cleanup/clean-requests.ts",
    "controllers/controllers/pod-certificate-cleanup/clean-pod-requests.ts",
    "controllers/controllers/disruption/reconcile-budgets.ts",
    "controllers/controllers/storage-versions/clear-storage-versions.ts",
    "controllers/controllers/device-taints/evict-tainted-pods.ts",
    "controllers/controllers/device-taints/rule-statuses.ts",
    "controllers/controllers/finished-jobs/remove-finished-jobs.ts",
    "controllers/controllers/legacy-tokens/clean-legacy-tokens.ts",
    "controllers/controllers/namespace/namespace-content.ts",
    "controllers/controllers/resource-pool-status/answer-pool-requests.ts",
    "controllers/controllers/resource-quota/reconcile-usage.ts",
    "controllers/controllers/service-cidrs/keep-service-cidrs.ts",
    "controllers/controllers/token-cleaning/clean-tokens.ts",
    "platform/time/clock-steps.ts",
    "platform/time/clock.ts",
  ],
  // Passed to a library as a deadline, which the library converts into a duration at once.
  passed: ["store/encryption/kms/kms-channel.ts", "store/etcd/grpc-js-transport.ts"],
};

export const READS_TIME_OF_DAY = new Set(
  Object.values(FILES)
    .flat()
    .map((file) => `packages/${file.replace("/", "/src/")}`),
);
