// Reads and validates the file of `--authentication-config`; reports all its errors at once. Source: Kubernetes
// documentation, "Authenticating", "Using Authentication Configuration".

import { X509Certificate } from "node:crypto";
import {
  type AnonymousAccess,
  type ClaimMapping,
  type ClaimRule,
  type ExpressionLanguage,
  type ExpressionRule,
  type ExpressionSubject,
  type ExtraMapping,
  type JwtConfiguration,
  SIGNATURE_ALGORITHMS,
  type TokenExpression,
  type TokenExpressionResult,
} from "@orch/auth";
import { ConfigurationError, ConfigurationFields, field, readDocument, subdomainErrors } from "@orch/machinery";
import type { EgressSelector } from "@orch/platform";
import { certificateBlocks } from "@orch/platform";
import type { JsonObject, Vocabulary } from "@orch/schema";

export interface AuthenticationConfiguration {
  readonly issuers: readonly JwtConfiguration[];
  /** Undefined: the options decide. */
  readonly anonymous: AnonymousAccess | undefined;
}

export interface ConfigurationLanguage {
  readonly vocabulary: Vocabulary;
  readonly expressions: ExpressionLanguage;
  /** Issuers of this server's own tokens, which no other authenticator may claim. */
  readonly ownIssuers: readonly string[];
  /** Networks that issuers may name; undefined: the feature is off. */
  readonly egress: Pick<EgressSelector, "isConfigured"> | undefined;
}

const KIND = "AuthenticationConfiguration";
const VERSIONS = ["v1", "v1beta1", "v1alpha1"];
const EGRESS_OFF =
  "egress selector is not supported when StructuredAuthenticationConfigurationEgressSelector feature gate is disabled";
/** Maximum number of issuers. */
const ISSUERS_MAX = 64;
/** Maximum number of expressions per issuer; all of them are evaluated for each new token. */
const EXPRESSIONS_MAX = 64;

/** @param text YAML or JSON @throws ConfigurationError */
export async function readConfiguration(
  text: string,
  language: ConfigurationLanguage,
): Promise<AuthenticationConfiguration> {
  const document = await readDocument(text, language.vocabulary);
  const reading = new Reading(language);
  const configuration = reading.configuration(document);
  if (reading.lines.length > 0) throw new ConfigurationError(reading.lines);
  return configuration;
}

class Reading extends ConfigurationFields {
  private readonly urls = new Set<string>();

  constructor(private readonly language: ConfigurationLanguage) {
    super();
  }

  configuration(document: JsonObject): AuthenticationConfiguration {
    this.known(document, "", ["apiVersion", "kind", "jwt", "anonymous"]);
    const supported = VERSIONS.map((version) => `${this.language.vocabulary.groups.apiserverConfig}/${version}`);
    const { apiVersion, kind } = document;
    if (!supported.includes(apiVersion as string)) this.wrong(field.notSupported("apiVersion", apiVersion, supported));
    if (kind !== KIND) this.wrong(field.notSupported("kind", kind, [KIND]));
    const listed = this.objects(document, "jwt", "");
    if (listed.length > ISSUERS_MAX) this.wrong(field.tooMany("jwt", { count: listed.length, max: ISSUERS_MAX }));
    const issuers = listed.slice(0, ISSUERS_MAX).map((item, index) => this.issuer(item, `jwt[${index}]`));
    const anonymous = this.object(document, "anonymous", "");
    return { issuers, anonymous: anonymous && this.anonymous(anonymous) };
  }

  private anonymous(anonymous: JsonObject): AnonymousAccess {
    this.known(anonymous, "anonymous", ["enabled", "conditions"]);
    const enabled = this.boolean(anonymous, "enabled", "anonymous") === true;
    const conditions = this.objects(anonymous, "conditions", "anonymous");
    if (!enabled && conditions.length > 0) {
      const why = "enabled should be set to true when conditions are defined";
      this.wrong(field.invalid("anonymous.conditions", conditions.length, why));
    }
    const paths = conditions.map((condition, index) => {
      const at = `anonymous.conditions[${index}]`;
      this.known(condition, at, ["path"]);
      const path = this.text(condition, "path", at);
      if (path === "") this.wrong(field.required(`${at}.path`));
      else if (!path.startsWith("/")) this.wrong(field.invalid(`${at}.path`, path, "must start with a slash"));
      return path;
    });
    return { enabled, paths };
  }

  private issuer(item: JsonObject, at: string): JwtConfiguration {
    this.known(item, at, ["issuer", "claimValidationRules", "claimMappings", "userValidationRules"]);
    const claimRules = this.claimRules(item, at);
    const mappings = this.object(item, "claimMappings", at) ?? {};
    const mapped = this.mappings(mappings, `${at}.claimMappings`, claimRules);
    const userRules = this.objects(item, "userValidationRules", at).flatMap((rule, index) => {
      const path = `${at}.userValidationRules[${index}]`;
      this.known(rule, path, ["expression", "message"]);
      return this.rule(rule, path, "user") ?? [];
    });
    this.unique(userRules, `${at}.userValidationRules`);
    const count = claimRules.length + userRules.length + mapped.extra.length;
    if (count > EXPRESSIONS_MAX) this.wrong(field.tooMany(at, { count, max: EXPRESSIONS_MAX }));
    return {
      issuer: this.issuerItself(this.object(item, "issuer", at) ?? {}, `${at}.issuer`),
      algorithms: SIGNATURE_ALGORITHMS,
      claimRules,
      userRules,
      ...mapped,
    };
  }

  private issuerItself(issuer: JsonObject, at: string): JwtConfiguration["issuer"] {
    this.known(issuer, at, [
      "url",
      "discoveryURL",
      "certificateAuthority",
      "audiences",
      "audienceMatchPolicy",
      "egressSelectorType",
    ]);
    const url = this.text(issuer, "url", at);
    if (url === "") this.wrong(field.required(`${at}.url`, "URL is required"));
    else this.address(url, `${at}.url`);
    if (this.language.ownIssuers.includes(url)) {
      this.wrong(field.invalid(`${at}.url`, url, "must not be the service account issuer of this server"));
    }
    const discoveryUrl = this.text(issuer, "discoveryURL", at);
    if (discoveryUrl !== "") {
      this.address(discoveryUrl, `${at}.discoveryURL`);
      if (discoveryUrl.replace(/\/+$/, "") === url.replace(/\/+$/, "")) {
        this.wrong(field.invalid(`${at}.discoveryURL`, discoveryUrl, "discoveryURL must be different from URL"));
      }
    }
    const ca = this.text(issuer, "certificateAuthority", at);
    if (ca !== "" && !isCertificates(ca)) {
      this.wrong(field.invalid(`${at}.certificateAuthority`, "<omitted>", "must be certificates in PEM form"));
    }
    return {
      url,
      ...(discoveryUrl === "" ? {} : { discoveryUrl }),
      ...(ca === "" ? {} : { ca }),
      audiences: this.audiences(issuer, at),
      ...this.egress(issuer, at),
    };
  }

  private egress(issuer: JsonObject, at: string): Pick<JwtConfiguration["issuer"], "egress"> {
    const path = `${at}.egressSelectorType`;
    const type = this.text(issuer, "egressSelectorType", at);
    if (type === "") return {};
    const { egress } = this.language;
    if (egress === undefined) this.wrong(field.invalid(path, type, EGRESS_OFF));
    if (type !== "controlplane" && type !== "cluster") {
      this.wrong(field.invalid(path, type, "egress selector must be either controlplane or cluster"));
      return {};
    }
    if (egress?.isConfigured(type) === false)
      this.wrong(field.invalid(path, type, "--egress-selector-config-file does not configure this egress selection"));
    return { egress: type };
  }

  private address(text: string, path: string): void {
    if (this.urls.has(text)) this.wrong(field.duplicate(path, text));
    this.urls.add(text);
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const why =
      url === undefined
        ? "must be a URL"
        : url.protocol !== "https:"
          ? "URL scheme must be https"
          : url.username !== "" || url.password !== ""
            ? "URL must not contain a username or password"
            : text.includes("?")
              ? "URL must not contain a query"
              : text.includes("#")
                ? "URL must not contain a fragment"
                : undefined;
    const isSecret = url !== undefined && url.password !== "";
    if (why !== undefined) this.wrong(field.invalid(path, isSecret ? "<omitted>" : text, why));
  }

  private audiences(issuer: JsonObject, at: string): readonly string[] {
    const path = `${at}.audiences`;
    const audiences = this.texts(issuer, "audiences", at);
    if (audiences.length === 0) this.wrong(field.required(path, "at least one audience is required"));
    for (const [index, audience] of audiences.entries()) {
      if (audience === "") this.wrong(field.required(`${path}[${index}]`, "audience can't be empty"));
      else if (audiences.indexOf(audience) < index) this.wrong(field.duplicate(`${path}[${index}]`, audience));
    }
    const policy = this.text(issuer, "audienceMatchPolicy", at);
    const isFit = policy === "MatchAny" || (policy === "" && audiences.length <= 1);
    if (!isFit) {
      const why =
        audiences.length > 1
          ? "audienceMatchPolicy must be MatchAny for multiple audiences"
          : "audienceMatchPolicy must be empty or MatchAny for single audience";
      this.wrong(field.invalid(`${at}.audienceMatchPolicy`, policy, why));
    }
    return audiences;
  }

  private claimRules(item: JsonObject, at: string): readonly ClaimRule[] {
    const path = `${at}.claimValidationRules`;
    const claims = new Set<string>();
    const rules = this.objects(item, "claimValidationRules", at).flatMap((rule, index): ClaimRule[] => {
      const each = `${path}[${index}]`;
      this.known(rule, each, ["claim", "requiredValue", "expression", "message"]);
      const claim = this.text(rule, "claim", each);
      const requiredValue = this.text(rule, "requiredValue", each);
      const expression = this.text(rule, "expression", each);
      const invalid = (name: string, value: string, why: string) =>
        this.wrong(field.invalid(`${each}.${name}`, value, why));
      if (claim !== "" && expression !== "") invalid("claim", claim, "claim and expression can't both be set");
      else if (claim !== "") {
        if (this.text(rule, "message", each) !== "")
          invalid("message", this.text(rule, "message", each), "message can't be set when claim is set");
        if (claims.has(claim)) this.wrong(field.duplicate(`${each}.claim`, claim));
        claims.add(claim);
        return [{ kind: "claim", claim, requiredValue }];
      } else if (expression !== "") {
        if (requiredValue !== "")
          invalid("requiredValue", requiredValue, "requiredValue can't be set when expression is set");
        const made = this.rule(rule, each, "claims");
        return made === undefined ? [] : [{ kind: "expression", ...made }];
      } else this.wrong(field.required(each, "claim or expression is required"));
      return [];
    });
    this.unique(
      rules.flatMap((rule) => (rule.kind === "expression" ? [rule] : [])),
      path,
    );
    return rules;
  }

  private unique(rules: readonly ExpressionRule[], path: string): void {
    const sources = rules.map(({ expression: { source } }) => source);
    for (const [index, source] of sources.entries()) {
      if (sources.indexOf(source) < index) this.wrong(field.duplicate(path, source));
    }
  }

  private rule(rule: JsonObject, at: string, subject: ExpressionSubject): ExpressionRule | undefined {
    const expression = this.expression(rule, "expression", at, subject, "boolean");
    return expression && { expression, message: this.text(rule, "message", at) };
  }

  /** @returns undefined for an invalid expression, whose error is recorded */
  private expression(
    of: JsonObject,
    name: string,
    at: string,
    subject: ExpressionSubject,
    result: TokenExpressionResult,
  ): TokenExpression | undefined {
    const path = `${at}.${name}`;
    const source = this.text(of, name, at);
    if (source.trim() === "") {
      this.wrong(field.required(path, "expression is required"));
      return undefined;
    }
    const compiled = this.language.expressions.compile(source, subject, result);
    if (typeof compiled !== "string") return compiled;
    this.wrong(field.invalid(path, source, compiled));
    return undefined;
  }

  private mappings(
    mappings: JsonObject,
    at: string,
    claimRules: readonly ClaimRule[],
  ): Pick<JwtConfiguration, "username" | "groups" | "uid" | "extra"> {
    this.known(mappings, at, ["username", "groups", "uid", "extra"]);
    const named = this.object(mappings, "username", at);
    const username = named && this.mapping(named, `${at}.username`, "text");
    if (named === undefined) this.wrong(field.required(`${at}.username`, "claim or expression is required"));
    const groupsOf = this.object(mappings, "groups", at);
    const groups = groupsOf && this.mapping(groupsOf, `${at}.groups`, "texts");
    const uidOf = this.object(mappings, "uid", at);
    const uid = uidOf && this.mapping(uidOf, `${at}.uid`, "text", false);
    const extra = this.extra(mappings, at);
    this.verifiedEmail(username, `${at}.username.expression`, [
      ...extra.map(({ value }) => value),
      ...claimRules.flatMap((rule) => (rule.kind === "expression" ? [rule.expression] : [])),
    ]);
    return {
      username: username ?? { kind: "claim", claim: "", prefix: "" },
      ...(groups && { groups }),
      ...(uid && { uid }),
      extra,
    };
  }

  /** Requires the claim email_verified: an unverified email does not identify a user. */
  private verifiedEmail(username: ClaimMapping | undefined, path: string, others: readonly TokenExpression[]): void {
    if (username?.kind !== "expression" || !username.expression.reads("email")) return;
    if ([username.expression, ...others].some((each) => each.reads("email_verified"))) return;
    const why =
      "claims.email_verified must be used in claimMappings.username.expression, claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression";
    this.wrong(field.invalid(path, username.expression.source, why));
  }

  private mapping(
    of: JsonObject,
    at: string,
    result: TokenExpressionResult,
    hasPrefix = true,
  ): ClaimMapping | undefined {
    this.known(of, at, ["claim", "expression", ...(hasPrefix ? ["prefix"] : [])]);
    const claim = this.text(of, "claim", at);
    const source = this.text(of, "expression", at);
    const prefix = hasPrefix ? this.givenText(of, "prefix", at) : undefined;
    if (claim !== "" && source !== "") {
      this.wrong(field.invalid(at, claim, "claim and expression can't both be set"));
    } else if (claim !== "") {
      if (hasPrefix && prefix === undefined) {
        const why = "prefix is required when claim is set. It can be set to an empty string to disable prefixing";
        this.wrong(field.required(`${at}.prefix`, why));
      }
      return { kind: "claim", claim, prefix: prefix ?? "" };
    } else if (source !== "") {
      if (prefix !== undefined && prefix !== "") {
        this.wrong(field.invalid(`${at}.prefix`, prefix, "prefix can't be set when expression is set"));
      }
      const expression = this.expression(of, "expression", at, "claims", result);
      return expression && { kind: "expression", expression };
    } else this.wrong(field.required(at, "claim or expression is required"));
    return undefined;
  }

  private extra(mappings: JsonObject, at: string): readonly ExtraMapping[] {
    const keys = new Set<string>();
    return this.objects(mappings, "extra", at).flatMap((item, index) => {
      const path = `${at}.extra[${index}]`;
      this.known(item, path, ["key", "valueExpression"]);
      const key = this.text(item, "key", path);
      if (key === "") this.wrong(field.required(`${path}.key`));
      else for (const why of this.keyErrors(key)) this.wrong(field.invalid(`${path}.key`, key, why));
      if (keys.has(key)) this.wrong(field.duplicate(`${path}.key`, key));
      keys.add(key);
      const value = this.expression(item, "valueExpression", path, "claims", "texts");
      return value === undefined ? [] : [{ key, value }];
    });
  }

  private *keyErrors(key: string): Generator<string> {
    if (key !== key.toLowerCase()) yield "key must be lowercase";
    const slash = key.indexOf("/");
    const domain = key.slice(0, slash);
    if (slash < 1 || slash === key.length - 1 || subdomainErrors(domain).length > 0) {
      yield "must be a domain-prefixed path (such as 'acme.io/foo')";
      return;
    }
    const { groups, userExtraKeys } = this.language.vocabulary;
    const [ofKeys = ""] = userExtraKeys.authenticationCredentialId.split("/");
    const reserved = [groups.authentication, ofKeys].map((each) => each.split(".").slice(1).join("."));
    if (reserved.some((each) => domain === each || domain.endsWith(`.${each}`))) yield "domain is reserved";
  }
}

function isCertificates(text: string): boolean {
  const found = certificateBlocks(text);
  try {
    for (const pem of found) new X509Certificate(pem);
  } catch {
    return false;
  }
  return found.length > 0;
}
