// Validation of webhook clients: a URL, or a service of the cluster. Source:
// staging/src/k8s.io/apiserver/pkg/util/webhook/validation.go.
import { subdomainErrors } from "@orch/machinery";
import type { admissionregistrationV1 } from "@orch/schema";
import { isExact } from "../model/rules/exact-rule";
import { fields, type Rule, required } from "../model/rules/rule";
import { label1035, portNumber } from "./format-rules";

const webhookUrl: Rule<string> = (text, at, report) => {
  if (!URL.canParse(text)) {
    if (isExact(report) && IS_RELATIVE.test(text)) {
      report.invalid(at, "", ONLY_SCHEME);
      report.invalid(at, "", NO_HOST);
    } else report.required(at, "url must be a valid URL");
    return;
  }
  const { protocol, hash, search, username, password } = new URL(text);
  if (protocol !== "https:") report.invalid(at, protocol.slice(0, -1), ONLY_SCHEME);
  if (!SAYS_HOST.test(text)) report.invalid(at, "", NO_HOST);
  if (username !== "" || password !== "") report.invalid(at, "", "user information is not permitted in the URL");
  if (hash !== "" || text.endsWith("#")) report.invalid(at, hash, "fragments are not permitted in the URL");
  if (search !== "" || text.endsWith("?")) report.invalid(at, search, "query parameters are not permitted in the URL");
};

const ONLY_SCHEME = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
const NO_HOST = "host must be specified; desired format: https://host[/path]";

/** Matches references without scheme. RFC 3986, section 4.2, accepts them. */
const IS_RELATIVE = /^(?:[^:/?#%]|%[\da-f]{2})*(?:[/?#].*)?$/i;

/** Matches URLs with an explicit host. The URL parser also accepts `https:///x` and `https:x`. */
const SAYS_HOST = /^[a-z][a-z\d+.-]*:\/\/[^/\\?#]/i;

/** Requires path segments that are subdomains; a trailing slash is allowed. */
const webhookPath: Rule<string> = (path, at, report) => {
  if (path === "" || path === "/") return;
  if (!path.startsWith("/")) {
    report.invalid(at, path, "must start with a '/'");
    return;
  }
  const steps = path.slice(1, path.endsWith("/") ? -1 : undefined).split("/");
  steps.forEach((step, position) => {
    if (step === "") report.invalid(at, path, `segment[${position}] may not be empty`);
    else for (const text of subdomainErrors(step)) report.invalid(at, path, `segment[${position}]: ${text}`);
  });
};

interface WebhookService {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: number;
}

const webhookService = fields<WebhookService>({
  name: required(),
  namespace: required(),
  port: portNumber,
  path: webhookPath,
});

export const webhookClient: Rule<admissionregistrationV1.WebhookClientConfig> = ({ url, service }, at, report) => {
  if ((url === undefined) === (service === undefined)) {
    report.required(at, "exactly one of url or service is required");
    if (isExact(report)) return;
  }
  if (url !== undefined) webhookUrl(url, at.field("url"), report);
  if (service !== undefined) webhookService(service, at.field("service"), report);
};

/** Versions of reviews that this server supports. */
const REVIEW_VERSIONS: readonly string[] = ["v1", "v1beta1"];

export const speaksReviews = (versions: readonly string[] | null | undefined): boolean =>
  (versions ?? []).some((version) => REVIEW_VERSIONS.includes(version));

/** Builds the rule of the review versions of a webhook. */
export function reviewVersions(knownReviews: boolean): Rule<readonly string[]> {
  return (versions, at, report) => {
    const seen = new Set<string>();
    versions.forEach((version, position) => {
      const place = at.item(position);
      if (seen.has(version)) report.invalid(place, version, "duplicate version");
      seen.add(version);
      label1035(version, place, report);
    });
    if (knownReviews && !speaksReviews(versions)) {
      report.invalid(at, versions, `must include at least one of ${REVIEW_VERSIONS.join(", ")}`);
    }
  };
}
