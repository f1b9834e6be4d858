// The defaults of types that many kinds hold, by the type's name in the schema: they hold wherever the type is used.
// Source: facts, defaults.json "types".
import { CONTAINER_DEFAULTS } from "./container";
import type { DefaultRules } from "./default-rules";
import { NETWORK_DEFAULTS } from "./network";
import { POD_SPEC_DEFAULTS } from "./pod-spec";
import { PRIORITY_LEVEL_DEFAULTS } from "./priority-level";
import { SERVICE_REFERENCE_DEFAULTS } from "./service-reference";
import { SUBJECT_DEFAULTS } from "./subject";
import { UPDATE_STRATEGY_DEFAULTS } from "./update-strategy";
import { VOLUME_DEFAULTS } from "./volume";
import { VOLUME_CLAIM_DEFAULTS } from "./volume-claim";
import { WEBHOOK_DEFAULTS } from "./webhook";

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
  ...WEBHOOK_DEFAULTS,
};
