// Errors of the request itself: path, method, media types, size and format. Source:
// staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go and
// staging/src/k8s.io/apiserver/pkg/endpoints/handlers/negotiation/errors.go.
import { type GroupResource, resourceText } from "../names/group-names";
import { StatusError } from "./status-error";

/** Texts of BadRequest (400) errors. */
export const BAD_REQUEST_TEXT = {
  apiVersionMismatch: (version: { readonly found: string; readonly expected: string }) =>
    `the API version in the data (${version.found}) does not match the expected API version (${version.expected})`,
  wrongKind: (of: {
    readonly kind: string;
    readonly version: string;
    readonly expected: string;
    readonly why: string;
  }) => `${of.kind} in version ${JSON.stringify(of.version)} cannot be handled as a ${of.expected}: ${of.why}`,
  unrecognized: (of: { readonly expected: string; readonly why: string; readonly body: Uint8Array }) =>
    `the object provided is unrecognized (must be of type ${of.expected}): ${of.why} (${bodySummary(of.body)})`,
  missingKind: (body: string) => `Object 'Kind' is missing in '${body}'`,
  missingApiVersion: (body: string) => `Object 'apiVersion' is missing in '${body}'`,
  unregistered: (of: { readonly kind: string; readonly apiVersion: string; readonly scheme: string }) =>
    `no kind ${JSON.stringify(of.kind)} is registered for version ${JSON.stringify(of.apiVersion)} in scheme ` +
    JSON.stringify(of.scheme),
  nameMismatch: (name: { readonly object: string; readonly url: string }) =>
    `the name of the object (${name.object}) does not match the name on the URL (${name.url})`,
  nameUndeterminable: (urlName: string) =>
    `the name of the object (${urlName} based on URL) was undeterminable: name must be provided`,
  namespaceMismatchOnUpdate: (namespace: { readonly object: string; readonly request: string }) =>
    `the namespace of the object (${namespace.object}) does not match the namespace on the request (${namespace.request})`,
  namespaceMismatch: () => "the namespace of the provided object does not match the namespace sent on the request",
  emptyName: () => "name must be provided",
  nameParameterRequired: () => "Name parameter required.",
  namespaceParameterRequired: () => "Namespace parameter required.",
  nameParameterInvalid: (name: string, reasons: readonly string[]) =>
    `Name parameter invalid: ${JSON.stringify(name)}: ${reasons.join(";")}`,
  fieldSelectorName: () => "fieldSelector metadata.name doesn't match requested name",
  fieldLabelNotSupported: (label: string) => `field label not supported: ${label}`,
  unknownFieldSelector: (label: string) =>
    `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  invalidResourceVersion: (why: string) => `invalid resource version: ${why}`,
  invalidContinueToken: (why: string) => `invalid continue token: ${why}`,
  resourceVersionWithContinue: () => "specifying resource version is not allowed when using continue",
  patchDecode: (why: string) => `error decoding patch: ${why}`,
  applyStrictDecode: (list: string) => `error strict decoding patch: error converting YAML to JSON: ${list}`,
  applyDecode: (why: string) => `error decoding YAML: ${why}`,
  dryRunOfConnection: () => "dryRun is not supported",
  dryRunDisabled: () => "the dryRun feature is disabled",
  tableOptions: (why: string) => `Unable to convert to Table as requested: ${why}`,
  exportNotSupported: (resource: string) => `export of ${JSON.stringify(resource)} is not supported`,
  applyVersion: (version: { readonly found: string; readonly expected: string }) =>
    `Incorrect version specified in apply patch. Specified patch version: ${version.found}, expected: ${version.expected}`,
  applyManagedFields: () => "metadata.managedFields must be nil",
  strategicMergeDocument: () => "invalid JSON document",
  strategicMergePrimitiveList: () => "invalid patch format of primitive list",
  strategicMergeRetainKeys: () => "invalid patch format of retainKeys",
  strategicMergeSetElementOrder: () => "invalid patch format of setElementOrder list",
  strategicMergeUnsupported: () => "strategic merge patch format is not supported",
} as const;

export const badRequest = (text: string, options?: ErrorOptions): StatusError =>
  new StatusError("BadRequest", text, undefined, options);

/**
 * NotFound for a path under a served group version that matches no resource.
 * @param hint further detail for the message
 */
export const routerNotFound = (hint?: string): StatusError =>
  new StatusError("NotFound", withHint("the server could not find the requested resource", hint), {});

const withHint = (text: string, hint: string | undefined): string => (hint === undefined ? text : `${text}: ${hint}`);

/** NotFound error sent to open watches of a resource that is no longer served. */
export const notServed = ({ group, plural }: { readonly group: string; readonly plural: string }): StatusError =>
  new StatusError("NotFound", routerNotFound().message, { group, kind: plural });

/** MethodNotAllowed: the path exists, but not with this HTTP method. */
export const routerMethodNotAllowed = (): StatusError =>
  new StatusError("MethodNotAllowed", "the server does not allow this method on the requested resource", {});

/**
 * MethodNotAllowed for a resource.
 * @param action an API verb, such as `create`
 */
export const methodNotAllowed = (of: GroupResource, action: string): StatusError =>
  new StatusError("MethodNotAllowed", `${action} is not supported on resources of kind "${resourceText(of)}"`, {
    group: of.group,
    kind: of.resource,
  });

/** Texts of NotAcceptable (406) errors: no media type matches the request's Accept header. */
export const NOT_ACCEPTABLE_TEXT = {
  mediaTypes: (accepted: readonly string[]) => `only the following media types are accepted: ${accepted.join(", ")}`,
  conversion: (target: string, accepted: readonly string[]) =>
    `only the following media types are accepted when converting to ${target}: ${accepted.join(", ")}`,
  noTable: (apiVersion: string) => `no Table exists in group version ${apiVersion}`,
  metadataOfList: (type: string) => `you requested PartialObjectMetadata, but the requested object is a list (${type})`,
  metadataListOfObject: (type: string) =>
    `you requested PartialObjectMetadataList, but the requested object is not a list (${type})`,
  noProtobuf: (type: string) =>
    `object ${type} does not implement the protobuf marshalling interface and cannot be encoded to a protobuf message`,
} as const;

/**
 * NotAcceptable: the response has no media type that the client accepts.
 * @param hint further detail about the requested media type
 */
export const notAcceptable = (text: string, hint?: string): StatusError =>
  new StatusError("NotAcceptable", withHint(text, hint));

/**
 * UnsupportedMediaType: the server does not accept the media type of the body.
 * @param accepted media types, the preferred one first
 * @param hint further detail about the media type that was sent
 */
export const unsupportedMediaType = (accepted: readonly string[], hint?: string): StatusError =>
  new StatusError(
    "UnsupportedMediaType",
    withHint(
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
      hint,
    ),
  );

/** UnsupportedMediaType: the body has a Content-Encoding, which the server does not decode. */
export const unsupportedContentEncoding = (coding: string): StatusError =>
  new StatusError(
    "UnsupportedMediaType",
    `the body of the request has the Content-Encoding ${JSON.stringify(coding.slice(0, 64))}: send the body without a content encoding`,
  );

/** Texts of RequestEntityTooLarge (413) errors. */
export const TOO_LARGE_TEXT = {
  body: (maxBytes: number) => `limit is ${maxBytes}`,
  movedItems: (max: number) => `the operations of a JSON patch may move at most ${max} list items`,
  values: (max: number) => `the body may contain at most ${max} values`,
  readWhole: (kind: string, max: number) => `a ${kind} may contain at most ${max} values`,
  jsonPatch: (operations: number) => `The allowed maximum operations in a JSON patch is 10000, got ${operations}`,
} as const;

export const requestEntityTooLarge = (text: string): StatusError =>
  new StatusError("RequestEntityTooLarge", `Request entity too large: ${text}`);

/** Invalid: a well-formed patch that cannot be applied. The response contains no detail. */
export const unprocessable = (options: ErrorOptions = {}): StatusError =>
  new StatusError("Invalid", "the server rejected our request due to an error in our request", {}, options);

/** Returns the start of a body that could not be parsed: JSON as text, anything else in hexadecimal. */
function bodySummary(body: Uint8Array): string {
  if (body.length === 0) return "<empty>";
  const head = Buffer.from(body.subarray(0, SUMMARY_BYTES));
  const looksLikeJson = /^\s*[[{"]/.test(head.toString("latin1"));
  const text = looksLikeJson ? head.toString("utf8") : head.toString("hex");
  return body.length > SUMMARY_BYTES ? `${text} ...` : text;
}

const SUMMARY_BYTES = 30;
