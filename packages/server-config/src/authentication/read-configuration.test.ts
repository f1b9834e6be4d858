import { describe, expect, test } from "@jest/globals";
import { ConfigurationError } from "@orch/machinery";
import { vocabularyOf } from "@orch/schema";
import { testAuthority } from "@orch/testing";
import { claimExpressions } from "./claim-expressions";
import { readConfiguration } from "./read-configuration";

const vocabulary = vocabularyOf("orch");
const OWN = "https://own.test";
const language = {
  vocabulary,
  expressions: claimExpressions(vocabulary, "1.36"),
  ownIssuers: [OWN],
  egress: undefined,
};
const CA = testAuthority("p256").certificate;

const JWT = {
  issuer: { url: "https://a.test", audiences: ["x"] },
  claimMappings: { username: { claim: "sub", prefix: "" } },
};

const document = (jwt: readonly unknown[], more: object = {}) => ({
  apiVersion: "apiserver.config.orch.io/v1",
  kind: "AuthenticationConfiguration",
  jwt,
  ...more,
});

const read = (value: unknown) => readConfiguration(JSON.stringify(value), language);

async function wrong(value: unknown): Promise<readonly string[]> {
  const error = await read(value).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ConfigurationError ? error.lines : [`nothing: ${error}`];
}

const issuer = (more: object) => document([{ ...JWT, issuer: { ...JWT.issuer, ...more } }]);
const mapped = (more: object) => document([{ ...JWT, claimMappings: { ...JWT.claimMappings, ...more } }]);
const rules = (...claimValidationRules: unknown[]) => document([{ ...JWT, claimValidationRules }]);
const users = (...userValidationRules: unknown[]) => document([{ ...JWT, userValidationRules }]);

test("everything that may be said is understood", async () => {
  const { issuers, anonymous } = await read(
    document(
      [
        {
          issuer: {
            url: "https://a.test/path",
            discoveryURL: "https://b.test/.well-known/openid-configuration",
            certificateAuthority: CA,
            audiences: ["x", "y"],
            audienceMatchPolicy: "MatchAny",
          },
          claimValidationRules: [
            { claim: "hd", requiredValue: "z" },
            { expression: "claims.a == 'b'", message: "no" },
          ],
          claimMappings: {
            username: { expression: "claims.email_verified ? claims.email : ''" },
            groups: { claim: "groups", prefix: "g:" },
            uid: { expression: "claims.sub" },
            extra: [{ key: "example.com/k", valueExpression: "claims.k" }],
          },
          userValidationRules: [{ expression: "user.groups.all(group, !group.startsWith('system:'))" }],
        },
      ],
      { anonymous: { enabled: true, conditions: [{ path: "/livez" }] } },
    ),
  );
  expect(anonymous).toEqual({ enabled: true, paths: ["/livez"] });
  expect(issuers).toHaveLength(1);
  expect(issuers[0]?.issuer).toEqual({
    url: "https://a.test/path",
    discoveryUrl: "https://b.test/.well-known/openid-configuration",
    ca: CA,
    audiences: ["x", "y"],
  });
  expect(issuers[0]?.groups).toEqual({ kind: "claim", claim: "groups", prefix: "g:" });
  expect(issuers[0]?.claimRules).toHaveLength(2);
});

test.each(["v1", "v1beta1", "v1alpha1"])("version %s is read, in YAML too", async (version) => {
  const text = `apiVersion: apiserver.config.orch.io/${version}\nkind: AuthenticationConfiguration\nanonymous: {enabled: false}\n`;
  expect(await readConfiguration(text, language)).toEqual({ issuers: [], anonymous: { enabled: false, paths: [] } });
});

describe("an error names the field and the rule", () => {
  test.each<[unknown, string | RegExp]>([
    ["text", "it is not an object"],
    [document([], { apiVersion: "v1" }), /^apiVersion: Unsupported value/],
    [document([], { kind: "Pod" }), /^kind: Unsupported value/],
    [document([], { jwts: [] }), "jwts: unknown field"],
    [document("x" as never), "jwt: Invalid value: must be a list"],
    [
      document(
        Array.from({ length: 65 }, (_, at) => ({ ...JWT, issuer: { url: `https://${at}.test`, audiences: ["x"] } })),
      ),
      /^jwt: Too many/,
    ],
    [issuer({ url: "" }), "jwt[0].issuer.url: Required value: URL is required"],
    [issuer({ url: "http://a.test" }), /jwt\[0\].issuer.url: .*URL scheme must be https/],
    [issuer({ url: "https://u:s3cret@a.test" }), /"<omitted>": URL must not contain a username or password/],
    [issuer({ url: "https://a.test?x" }), /must not contain a query/],
    [issuer({ url: "https://a.test#x" }), /must not contain a fragment/],
    [issuer({ url: OWN }), /must not be the service account issuer/],
    [issuer({ discoveryURL: "https://a.test/" }), /discoveryURL must be different from URL/],
    [issuer({ certificateAuthority: "x" }), /certificateAuthority: .*must be certificates in PEM form/],
    [issuer({ audiences: [] }), /audiences: Required value/],
    [issuer({ audiences: [""] }), /audiences\[0\]: Required value: audience can't be empty/],
    [issuer({ audiences: ["x", "x"], audienceMatchPolicy: "MatchAny" }), /audiences\[1\]: Duplicate value/],
    [issuer({ audiences: ["x", "y"] }), /audienceMatchPolicy must be MatchAny for multiple audiences/],
    [issuer({ audienceMatchPolicy: "MatchAll" }), /audienceMatchPolicy must be empty or MatchAny/],
    [issuer({ egress: "x" }), "jwt[0].issuer.egress: unknown field"],
    [document([JWT, JWT]), /jwt\[1\].issuer.url: Duplicate value/],
    [mapped({ username: undefined }), /username: Required value: claim or expression is required/],
    [mapped({ username: {} }), /username: Required value: claim or expression is required/],
    [mapped({ username: { claim: "sub" } }), /username.prefix: Required value: prefix is required when claim is set/],
    [mapped({ username: { claim: "sub", expression: "claims.sub" } }), /claim and expression can't both be set/],
    [mapped({ username: { expression: "claims.sub", prefix: "x" } }), /prefix can't be set when expression is set/],
    [mapped({ username: { expression: "claims.email" } }), /claims.email_verified must be used/],
    [mapped({ username: { expression: "claims['email']" } }), /claims.email_verified must be used/],
    [mapped({ username: { expression: "1" } }), /username.expression: .*must evaluate to string/],
    [mapped({ username: { expression: "claim.sub" } }), /undeclared reference to 'claim'/],
    [mapped({ groups: { expression: "true" } }), /groups.expression: .*must evaluate to string or list or null/],
    [mapped({ uid: { claim: "x", prefix: "y" } }), "jwt[0].claimMappings.uid.prefix: unknown field"],
    [mapped({ extra: [{ key: "k", valueExpression: "claims.k" }] }), /extra\[0\].key: .*domain-prefixed path/],
    [mapped({ extra: [{ key: "A.com/k", valueExpression: "claims.k" }] }), /key must be lowercase/],
    [mapped({ extra: [{ key: "x.orch.io/k", valueExpression: "claims.k" }] }), /domain is reserved/],
    [mapped({ extra: [{ key: "a.com/k" }] }), /extra\[0\].valueExpression: Required value/],
    [rules({}), /claimValidationRules\[0\]: Required value: claim or expression is required/],
    [rules({ claim: "a", expression: "true" }), /claim and expression can't both be set/],
    [rules({ claim: "a" }, { claim: "a" }), /claimValidationRules\[1\].claim: Duplicate value/],
    [rules({ claim: "a", message: "m" }), /message can't be set when claim is set/],
    [rules({ expression: "true", requiredValue: "v" }), /requiredValue can't be set when expression is set/],
    [rules({ expression: "claims.a + 1" }), /must evaluate to bool|no matching overload/],
    [rules({ expression: "claims." }), /Syntax error/],
    [rules({ expression: "true" }, { expression: "true" }), /claimValidationRules: Duplicate value/],
    [
      rules({ expression: "claims.a.all(x, claims.a.all(y, claims.a.all(z, x != y && y != z)))" }),
      /estimated cost exceeds the limit/,
    ],
    [users({ expression: "user.name == 'x'" }), /undefined field 'name'/],
    [users({ expression: "claims.x == 'x'" }), /undeclared reference to 'claims'/],
    [users({ message: "x" }), /userValidationRules\[0\].expression: Required value/],
    [document([], { anonymous: { enabled: false, conditions: [{ path: "/x" }] } }), /enabled should be set to true/],
    [document([], { anonymous: { enabled: true, conditions: [{}] } }), "anonymous.conditions[0].path: Required value"],
    [document([], { anonymous: { enabled: true, conditions: [{ path: "x" }] } }), /must start with a slash/],
    [document([], { anonymous: { enabled: "yes" } }), "anonymous.enabled: Invalid value: must be true or false"],
  ])("%#", async (value, expected) => {
    const lines = await wrong(value);
    expect(lines).toContainEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
  });
});

test("the maximum size of a token does not make common expressions too expensive", async () => {
  const common = [
    "claims.groups.all(group, !group.startsWith('system:'))",
    "claims.groups.exists(group, group == 'admins')",
    "claims.sub.matches('^[a-z]+$')",
    "claims.exp - claims.nbf <= 86400",
    "size(claims.groups) < 200 && claims.realm_access.roles.exists(role, role == 'user')",
  ];
  expect(await wrong(rules(...common.map((expression) => ({ expression }))))).toEqual(["nothing: undefined"]);
  const groups = "claims.roles.split(',').map(role, 'oidc:' + role)";
  expect(await wrong(mapped({ groups: { expression: groups } }))).toEqual(["nothing: undefined"]);
});
