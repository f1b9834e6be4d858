import { describe, expect, test } from "@jest/globals";
import * as access from "./access-errors";
import * as field from "./field-error";
import * as object from "./object-errors";
import * as request from "./request-errors";
import * as server from "./server-errors";
import { StatusError } from "./status-error";
import { deletedStatus, toStatus } from "./status-object";
import * as version from "./version-errors";

const PODS = { group: "", resource: "pods" };
const DEPLOYMENTS = { group: "apps", resource: "deployments" };
const DEPLOYMENT = { group: "apps", kind: "Deployment" };

describe("a failure's Status", () => {
  test.each<[string, StatusError, number, string, string, unknown]>([
    [
      "a missing object of the core group",
      object.notFound(PODS, "a"),
      404,
      "NotFound",
      'pods "a" not found',
      { name: "a", kind: "pods" },
    ],
    [
      "a missing object of a named group",
      object.notFound(DEPLOYMENTS, "a"),
      404,
      "NotFound",
      'deployments.apps "a" not found',
      { name: "a", group: "apps", kind: "deployments" },
    ],
    [
      "an object that exists",
      object.alreadyExists(PODS, "a"),
      409,
      "AlreadyExists",
      'pods "a" already exists',
      { name: "a", kind: "pods" },
    ],
    [
      "an object that still exists",
      object.stillBeingDeleted(PODS, "a"),
      409,
      "AlreadyExists",
      'object is being deleted: pods "a" already exists',
      { name: "a", kind: "pods" },
    ],
    [
      "an object that changed",
      object.conflict(DEPLOYMENTS, "a", object.CONFLICT_TEXT.modified()),
      409,
      "Conflict",
      'Operation cannot be fulfilled on deployments.apps "a": the object has been modified; please apply your changes to the latest version and try again',
      { name: "a", group: "apps", kind: "deployments" },
    ],
    [
      "an apply of one owned field",
      object.applyConflict([{ owner: '"m"', path: ".spec.replicas" }]),
      409,
      "Conflict",
      'Apply failed with 1 conflict: conflict with "m": .spec.replicas',
      { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "m"', field: ".spec.replicas" }] },
    ],
    [
      "an apply of several owned fields",
      object.applyConflict([
        { owner: '"b" using v1', path: ".b" },
        { owner: '"z"', path: ".a" },
        { owner: '"z"', path: ".c" },
      ]),
      409,
      "Conflict",
      'Apply failed with 3 conflicts: conflicts with "b" using v1:\n- .b\nconflicts with "z":\n- .a\n- .c',
      {
        causes: [
          { reason: "FieldManagerConflict", message: 'conflict with "b" using v1', field: ".b" },
          { reason: "FieldManagerConflict", message: 'conflict with "z"', field: ".a" },
          { reason: "FieldManagerConflict", message: 'conflict with "z"', field: ".c" },
        ],
      },
    ],
    [
      "one broken rule",
      object.invalid(DEPLOYMENT, "a", [field.required("spec.selector")]),
      422,
      "Invalid",
      'Deployment.apps "a" is invalid: spec.selector: Required value',
      {
        name: "a",
        group: "apps",
        kind: "Deployment",
        causes: [{ reason: "FieldValueRequired", message: "Required value", field: "spec.selector" }],
      },
    ],
    [
      "broken rules, one of them found twice",
      object.invalid(DEPLOYMENT, "a", [field.required("a"), field.forbidden("b", "not here"), field.required("a")]),
      422,
      "Invalid",
      'Deployment.apps "a" is invalid: [a: Required value, b: Forbidden: not here]',
      {
        name: "a",
        group: "apps",
        kind: "Deployment",
        causes: [
          { reason: "FieldValueRequired", message: "Required value", field: "a" },
          { reason: "FieldValueForbidden", message: "Forbidden: not here", field: "b" },
          { reason: "FieldValueRequired", message: "Required value", field: "a" },
        ],
      },
    ],
    [
      "a generated name that is taken",
      object.generatedNameTaken(DEPLOYMENT),
      500,
      "ServerTimeout",
      "The POST operation against Deployment.apps could not be completed at this time, please try again.",
      { name: "POST", group: "apps", kind: "Deployment" },
    ],
    ["no identity", access.unauthorized(), 401, "Unauthorized", "Unauthorized", undefined],
    [
      "a refusal by admission",
      access.forbidden(PODS, "a", "no"),
      403,
      "Forbidden",
      'pods "a" is forbidden: no',
      { name: "a", kind: "pods" },
    ],
    [
      "a version that is compacted",
      version.expired(version.EXPIRED_TEXT.watchCache({ requested: 3, oldest: 9 })),
      410,
      "Expired",
      "too old resource version: 3 (9)",
      undefined,
    ],
    ["what is gone", version.gone("gone"), 410, "Gone", "gone", undefined],
    [
      "a version that is not there yet",
      version.tooLargeResourceVersion({ requested: 9, current: 3 }, 1),
      504,
      "Timeout",
      "Timeout: Too large resource version: 9, current: 3",
      { causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }], retryAfterSeconds: 1 },
    ],
    [
      "a request that takes too long",
      server.timeout(server.TIMEOUT_TEXT.requested(34_000)),
      504,
      "Timeout",
      "Timeout: request did not complete within requested timeout 34s",
      {},
    ],
    [
      "a store that does not answer",
      server.serverTimeout(PODS, "list"),
      500,
      "ServerTimeout",
      "The list operation against pods could not be completed at this time, please try again.",
      { name: "list", kind: "pods", retryAfterSeconds: 2 },
    ],
    [
      "too much",
      server.tooManyRequests("wait", { retryAfterSeconds: 5 }),
      429,
      "TooManyRequests",
      "wait",
      { retryAfterSeconds: 5 },
    ],
    ["a server that ends", server.serviceUnavailable("ending"), 503, "ServiceUnavailable", "ending", undefined],
    [
      "a fault",
      server.internalError("x"),
      500,
      "InternalError",
      "Internal error occurred: x",
      { causes: [{ message: "x" }] },
    ],
    [
      "a path that leads nowhere",
      request.routerNotFound(),
      404,
      "NotFound",
      "the server could not find the requested resource",
      {},
    ],
    [
      "a method that no path takes",
      request.routerMethodNotAllowed(),
      405,
      "MethodNotAllowed",
      "the server does not allow this method on the requested resource",
      {},
    ],
    [
      "a verb that a resource lacks",
      request.methodNotAllowed(DEPLOYMENTS, "create"),
      405,
      "MethodNotAllowed",
      'create is not supported on resources of kind "deployments.apps"',
      { group: "apps", kind: "deployments" },
    ],
    [
      "an Accept that nothing fits",
      request.notAcceptable(request.NOT_ACCEPTABLE_TEXT.mediaTypes(["application/json", "application/yaml"])),
      406,
      "NotAcceptable",
      "only the following media types are accepted: application/json, application/yaml",
      undefined,
    ],
    [
      "a body of an unknown type",
      request.unsupportedMediaType(["a/b", "c/d"]),
      415,
      "UnsupportedMediaType",
      "the body of the request was in an unknown format - accepted media types include: a/b, c/d",
      undefined,
    ],
    [
      "a body that is too large",
      request.requestEntityTooLarge(request.TOO_LARGE_TEXT.body(3145728)),
      413,
      "RequestEntityTooLarge",
      "Request entity too large: limit is 3145728",
      undefined,
    ],
    ["a bad request", request.badRequest("bad"), 400, "BadRequest", "bad", undefined],
    [
      "a patch that cannot be applied",
      request.unprocessable(),
      422,
      "Invalid",
      "the server rejected our request due to an error in our request",
      {},
    ],
  ])("tells of %s", (_what, error, code, reason, message, details) => {
    expect(toStatus(error)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      ...(details === undefined ? {} : { details }),
      code,
    });
  });

  test("carries a token to go on with when a chunked list expired", () => {
    const status = toStatus(version.continueExpired("token"));
    expect(status.metadata).toEqual({ continue: "token" });
    expect(status).toMatchObject({ code: 410, reason: "Expired" });
  });

  test("says nothing of what went wrong inside", () => {
    const status = toStatus(new TypeError("secret path"));
    expect(status).toMatchObject({ code: 500, reason: "InternalError" });
    expect(JSON.stringify(status)).not.toContain("secret");
  });

  test("writes its fields in the order of Kubernetes", () => {
    expect(Object.keys(toStatus(object.notFound(PODS, "a")))).toEqual([
      "kind",
      "apiVersion",
      "metadata",
      "status",
      "message",
      "reason",
      "details",
      "code",
    ]);
  });

  test("is an Error", () => expect(object.notFound(PODS, "a")).toBeInstanceOf(StatusError));

  test("says where it was made only when the server has failed", () => {
    expect(server.internalError("it broke").stack).toContain("status.test");
    expect(object.notFound(PODS, "a").stack).toBe('StatusError: pods "a" not found');
    expect(new Error("as ever").stack).toContain("status.test");
  });
});

test("a deletion's Status names the removed object", () => {
  expect(deletedStatus({ name: "a", group: "", kind: "secrets", uid: "u" })).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { name: "a", kind: "secrets", uid: "u" },
  });
});

test.each<[string, string, string]>([
  ["no body", "", "(<empty>)"],
  ["a short JSON body whole", '{"a":1}', '({"a":1})'],
  ["the start of a long one", `{"a":"${"x".repeat(50)}"}`, `({"a":"${"x".repeat(24)} ...)`],
  ["bytes as digits", "k8s\0", "(6b387300)"],
])("an unreadable body is shown: %s", (_what, body, shown) => {
  const text = request.BAD_REQUEST_TEXT.unrecognized({ expected: "Pod", why: "why", body: Buffer.from(body) });
  expect(text).toBe(`the object provided is unrecognized (must be of type Pod): why ${shown}`);
});

test("the reported errors are bounded, with the number of the others", () => {
  const errors = Array.from({ length: 100_000 }, (_, at) => field.required(`spec.list[${at}]`));
  const status = object.invalid(DEPLOYMENT, "a", errors);
  expect(status.message).toMatch(/spec\.list\[999\]: Required value\], and 99000 more$/);
  expect(status.details?.causes).toHaveLength(1000);
});
