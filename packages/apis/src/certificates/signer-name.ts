// Names of signers. Source: pkg/apis/core/validation/validation.go, `ValidateSignerName`.
import type { Rule } from "@orch/apis-model";
import { label1123Errors, subdomainErrors } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";

const DOMAIN_MAX = 253;
/** Maximum length of the domain, the slash, and a namespace and a name separated by a dot. */
const WHOLE_MAX = DOMAIN_MAX + 1 + 317;

/** Requires a domain and a path: `domain.example/path`. */
export const signerName: Rule<string> = (name, at, report) => {
  const [domain = "", path = "", ...more] = name.split("/");
  if (!name.includes("/") || more.length > 0) {
    report.invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'");
    return;
  }
  if (domain.length > DOMAIN_MAX) report.tooLong(at, DOMAIN_MAX);
  const labels = domain.split(".");
  for (const label of labels)
    for (const text of label1123Errors(label)) report.invalid(at, domain, `validating label "${label}": ${text}`);
  if (labels.length < 2) report.invalid(at, domain, "should be a domain with at least two segments separated by dots");
  for (const part of path.split(".")) {
    for (const text of subdomainErrors(part)) report.invalid(at, path, `validating label "${part}": ${text}`);
  }
  if (name.length > WHOLE_MAX) report.tooLong(at, WHOLE_MAX);
};

/** Returns whether the signer belongs to the product itself: its domain is the product's, or one below it. */
export function isOwnSigner(name: string, { signers }: Vocabulary): boolean {
  const [own = ""] = signers.apiserverClient.split("/");
  const [domain = ""] = name.split("/");
  return domain === own || domain.endsWith(`.${own}`);
}
