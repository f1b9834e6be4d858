// Defaults of types that several kinds contain, keyed by the type's name in the schema. They apply wherever the type is
// used.

import {
  CONTAINER_DEFAULTS,
  NETWORK_DEFAULTS,
  POD_SPEC_DEFAULTS,
  VOLUME_CLAIM_DEFAULTS,
  VOLUME_DEFAULTS,
} from "@orch/apis-core";
import type { DefaultRules } from "@orch/apis-model";
import { WEBHOOK_DEFAULTS } from "../admissionregistration/webhook-defaults";
import { UPDATE_STRATEGY_DEFAULTS } from "../apps/update-strategy-defaults";
import { PRIORITY_LEVEL_DEFAULTS } from "../flowcontrol/priority-level-defaults";
import { SUBJECT_DEFAULTS } from "../rbac/subject-defaults";
import { DEVICE_DEFAULTS } from "../resource/device-defaults";

/** Defaults of references to services of webhooks and aggregated API servers. */
const SERVICE_REFERENCE: DefaultRules = { fields: { port: 443 } };

const SERVICE_REFERENCE_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "admissionregistration/v1.ServiceReference": SERVICE_REFERENCE,
  "admissionregistration/v1beta1.ServiceReference": SERVICE_REFERENCE,
  "apiextensions/v1.ServiceReference": SERVICE_REFERENCE,
  "apiextensions/v1beta1.ServiceReference": SERVICE_REFERENCE,
  "apiregistration/v1.ServiceReference": SERVICE_REFERENCE,
  "apiregistration/v1beta1.ServiceReference": SERVICE_REFERENCE,
};

export const STRUCT_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  ...POD_SPEC_DEFAULTS,
  ...CONTAINER_DEFAULTS,
  ...VOLUME_DEFAULTS,
  ...VOLUME_CLAIM_DEFAULTS,
  ...UPDATE_STRATEGY_DEFAULTS,
  ...NETWORK_DEFAULTS,
  ...PRIORITY_LEVEL_DEFAULTS,
  ...SERVICE_REFERENCE_DEFAULTS,
  ...SUBJECT_DEFAULTS,
  ...DEVICE_DEFAULTS,
  ...WEBHOOK_DEFAULTS,
};
