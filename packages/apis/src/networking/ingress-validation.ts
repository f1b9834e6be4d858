// Validation of ingresses. Rules that are new in v1 do not apply to requests of older versions, nor to violations of
// the stored object. Source: pkg/apis/networking/validation/validation.go.

import {
  each,
  fields,
  ip,
  oneOf,
  Place,
  Report,
  type Rule,
  subdomain,
  updateValidator,
  validator,
  wildcardSubdomain,
} from "@orch/apis-model";
import { familyOf, subdomainErrors, wildcardSubdomainErrors } from "@orch/machinery";
import type { networkingV1 } from "@orch/schema";
import { backend, isV1 } from "./ingress-backend-validation";

/** Newer rules that apply to the object. */
interface Strictness {
  readonly secretNames: boolean;
  readonly wildcardPaths: boolean;
}

export const validateNewIngress = validator<networkingV1.Ingress>((ingress, at, report) => {
  checkClass(ingress, report);
  const strict = isV1(report);
  checkSpec(ingress.spec ?? {}, at.field("spec"), report, { secretNames: strict, wildcardPaths: strict });
});

export const validateIngressUpdate = updateValidator<networkingV1.Ingress>((ingress, old, at, report) => {
  const strict = isV1(report);
  checkSpec(ingress.spec ?? {}, at.field("spec"), report, {
    secretNames: strict && hasValidSecretNames(old.spec ?? {}),
    wildcardPaths: strict && hasValidWildcardRules(old.spec ?? {}, report),
  });
});

const status: Rule<networkingV1.Ingress> = fields<networkingV1.Ingress>({
  status: fields<networkingV1.IngressStatus>({
    loadBalancer: fields<networkingV1.IngressLoadBalancerStatus>({
      ingress: each(
        fields<networkingV1.IngressLoadBalancerIngress>({
          ip,
          hostname: (text, at, report) => {
            subdomain(text, at, report);
            if (familyOf(text) !== undefined) report.invalid(at, text, "must be a DNS name, not an IP address");
          },
        }),
      ),
    }),
  }),
});

export const validateIngressStatus = updateValidator<networkingV1.Ingress>((ingress, _old, at, report) =>
  status(ingress, at, report),
);

/** Rejects a class in both the annotation and the field. */
function checkClass({ metadata, spec }: networkingV1.Ingress, report: Report): void {
  const key = report.vocabulary.annotations.ingressClass;
  const annotation = metadata?.annotations?.[key];
  if (annotation === undefined || spec?.ingressClassName === undefined) return;
  const detail = "can not be set when the class field is also set";
  report.invalid(Place.ROOT.field("annotations").field(key), annotation, detail);
}

function checkSpec(spec: networkingV1.IngressSpec, at: Place, report: Report, strict: Strictness): void {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  if (rules.length === 0 && defaultBackend === undefined) {
    report.invalid(at, rules, `either \`${backendField(report)}\` or \`rules\` must be specified`);
  }
  if (defaultBackend !== undefined) backend(defaultBackend, at.field(backendField(report)), report);
  rules.forEach((rule, position) => {
    checkRule(rule, at.field("rules").item(position), report, strict);
  });
  tls.forEach((each, position) => {
    checkTls(each, at.field("tls").item(position), report, strict);
  });
  if (ingressClassName !== undefined) subdomain(ingressClassName, at.field("ingressClassName"), report);
}

const backendField = (report: Report): string => (isV1(report) ? "defaultBackend" : "backend");

const isWildcard = (host: string): boolean => host.includes("*");

const hostName: Rule<string> = (host, at, report) =>
  isWildcard(host) ? wildcardSubdomain(host, at, report) : subdomain(host, at, report);

function checkRule({ host = "", http }: networkingV1.IngressRule, at: Place, report: Report, strict: Strictness): void {
  if (host !== "") {
    const place = at.field("host");
    if (familyOf(host) !== undefined) report.invalid(place, host, "must be a DNS name, not an IP address");
    else hostName(host, place, report);
    if (isWildcard(host) && !strict.wildcardPaths) return;
  }
  if (http !== undefined) paths(http.paths ?? [], at.field("http").field("paths"), report);
}

const paths: Rule<readonly networkingV1.HTTPIngressPath[]> = (list, at, report) => {
  if (list.length === 0) report.required(at);
  list.forEach((path, position) => {
    checkPath(path, at.item(position), report);
  });
};

const PATH_TYPES = ["Exact", "ImplementationSpecific", "Prefix"];
const pathType = oneOf(...PATH_TYPES);

function checkPath(
  { path = "", pathType: type, backend: to }: networkingV1.HTTPIngressPath,
  at: Place,
  report: Report,
) {
  const place = at.field("path");
  if (type === undefined || type === null) {
    report.required(at.field("pathType"), "pathType must be specified");
  } else if (type === "Exact" || type === "Prefix") {
    checkPlainPath(path, place, report);
  } else {
    pathType(type, at.field("pathType"), report);
    if (type === "ImplementationSpecific" && path !== "" && !path.startsWith("/")) {
      report.invalid(place, path, "must be an absolute path");
    }
  }
  backend(to, at.field("backend"), report);
}

const FORBIDDEN_IN_PATHS = ["//", "/./", "/../", "%2f", "%2F"];
const FORBIDDEN_AT_ENDS = ["/..", "/."];

function checkPlainPath(path: string, at: Place, report: Report): void {
  if (!path.startsWith("/")) report.invalid(at, path, "must be an absolute path");
  if (path === "") return;
  for (const part of FORBIDDEN_IN_PATHS)
    if (path.includes(part)) report.invalid(at, path, `must not contain '${part}'`);
  for (const end of FORBIDDEN_AT_ENDS) if (path.endsWith(end)) report.invalid(at, path, `cannot end with '${end}'`);
}

function checkTls(
  { hosts = [], secretName = "" }: networkingV1.IngressTLS,
  at: Place,
  report: Report,
  strict: Strictness,
) {
  hosts.forEach((host, position) => {
    hostName(host, at.field("hosts").item(position), report);
  });
  if (strict.secretNames && secretName !== "") subdomain(secretName, at.field("secretName"), report);
}

const hasValidSecretNames = ({ tls = [] }: networkingV1.IngressSpec): boolean =>
  tls.every(({ secretName = "" }) => secretName === "" || subdomainErrors(secretName).length === 0);

function hasValidWildcardRules({ rules = [] }: networkingV1.IngressSpec, report: Report): boolean {
  return rules.every(({ host = "", http }) => {
    if (!isWildcard(host) || http === undefined) return true;
    if (wildcardSubdomainErrors(host).length > 0) return true;
    const trial = new Report(report);
    paths(http.paths ?? [], Place.ROOT, trial);
    return trial.errors.length === 0;
  });
}
