// Metrics that the page shows. Where releases differ, the names are those that replace one another, the newest first.

export const STORE_SIZE = [
  "apiserver_storage_size_bytes",
  "apiserver_storage_db_total_size_in_bytes",
  "etcd_db_total_size_in_bytes",
];
export const STORE_OBJECTS = ["apiserver_resource_objects", "apiserver_storage_objects", "etcd_object_counts"];
export const STORE_UNREADABLE = "apiserver_storage_unreadable_objects";
export const STORE_AVAILABLE = "apiserver_storage_available_bytes";
export const STORE_ALARM = "apiserver_storage_alarm";
export const COMPACTION_TIME = "apiserver_storage_compaction_last_success_timestamp_seconds";
export const COMPACTION_FAILURES = "apiserver_storage_compaction_failures_total";
export const TRANSFORMATIONS = "apiserver_storage_transformation_operations_total";
export const KEY_USES = "apiserver_envelope_encryption_key_id_hash_total";
export const KEY_TIME = "apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds";
export const BACKUP_TIME = "apiserver_backup_last_success_timestamp_seconds";
export const BACKUP_FAILED = "apiserver_backup_last_attempt_failed";

export const SEATS_LIMIT = [
  "apiserver_flowcontrol_current_limit_seats",
  "apiserver_flowcontrol_nominal_limit_seats",
  "apiserver_flowcontrol_request_concurrency_limit",
];
export const SEATS_IN_USE = [
  "apiserver_flowcontrol_current_executing_seats",
  "apiserver_flowcontrol_request_concurrency_in_use",
];
export const EXECUTING = "apiserver_flowcontrol_current_executing_requests";
export const QUEUED = "apiserver_flowcontrol_current_inqueue_requests";
export const DISPATCHED = "apiserver_flowcontrol_dispatched_requests_total";
export const REJECTED = "apiserver_flowcontrol_rejected_requests_total";

export const WEBHOOK_CIRCUIT = "apiserver_admission_webhook_circuit_broken";
export const WEBHOOK_CALLS = "apiserver_admission_webhook_admission_duration_seconds_count";
export const WEBHOOK_SECONDS = "apiserver_admission_webhook_admission_duration_seconds_sum";
export const WEBHOOK_REJECTIONS = "apiserver_admission_webhook_rejection_count";
export const WEBHOOK_FAIL_OPEN = "apiserver_admission_webhook_fail_open_count";
export const WEBHOOK_WITHHELD = "apiserver_admission_webhook_withheld_total";
export const VALIDATING_CHECKS = "apiserver_validating_admission_policy_check_total";
export const VALIDATING_SECONDS = "apiserver_validating_admission_policy_check_duration_seconds_sum";
export const MUTATING_CHECKS = "apiserver_mutating_admission_policy_check_total";
export const MUTATING_SECONDS = "apiserver_mutating_admission_policy_check_duration_seconds_sum";

export const CERTIFICATE_END = "apiserver_certificate_expiration_timestamp_seconds";
export const CLIENT_CERTIFICATES = "apiserver_client_certificate_expiration_seconds_bucket";

export const SHOWN_METRICS: readonly string[] = [
  ...[...STORE_SIZE, ...STORE_OBJECTS, STORE_UNREADABLE, STORE_AVAILABLE, STORE_ALARM],
  ...[COMPACTION_TIME, COMPACTION_FAILURES, TRANSFORMATIONS, KEY_USES, KEY_TIME, BACKUP_TIME, BACKUP_FAILED],
  ...[...SEATS_LIMIT, ...SEATS_IN_USE, EXECUTING, QUEUED, DISPATCHED, REJECTED],
  ...[WEBHOOK_CIRCUIT, WEBHOOK_CALLS, WEBHOOK_SECONDS, WEBHOOK_REJECTIONS, WEBHOOK_FAIL_OPEN, WEBHOOK_WITHHELD],
  ...[VALIDATING_CHECKS, VALIDATING_SECONDS, MUTATING_CHECKS, MUTATING_SECONDS],
  ...[CERTIFICATE_END, CLIENT_CERTIFICATES],
];
