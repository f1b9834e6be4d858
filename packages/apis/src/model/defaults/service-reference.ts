// Defaults of references to services of webhooks and aggregated API servers.
import type { DefaultRules } from "./default-rules";

const SERVICE_REFERENCE: DefaultRules = { fields: { port: 443 } };

export const SERVICE_REFERENCE_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "admissionregistration/v1.ServiceReference": SERVICE_REFERENCE,
  "admissionregistration/v1beta1.ServiceReference": SERVICE_REFERENCE,
  "apiextensions/v1.ServiceReference": SERVICE_REFERENCE,
  "apiextensions/v1beta1.ServiceReference": SERVICE_REFERENCE,
  "apiregistration/v1.ServiceReference": SERVICE_REFERENCE,
  "apiregistration/v1beta1.ServiceReference": SERVICE_REFERENCE,
};
