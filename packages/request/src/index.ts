// The request as the API sees it: its context, its target, the routes that it can take, and the representations of its
// answer.

export { AnswerForms, type FormKey, preparedFor, renderDeferred, renderFor } from "./answers/answer-forms";
export {
  type DocumentForm,
  documentForm,
  jsonLine,
  plainForm,
  protobufBytes,
  statusForm,
} from "./answers/document-form";
export { answerError } from "./answers/error-answer";
export { STALL_MS, sendPaced } from "./answers/paced-send";
export { Negotiation } from "./representations/content-negotiation";
export type { ListAnswer, ObjectForm, RenderedPart } from "./representations/forms/object-form";
export { PIECE_BYTES, PiecePool, PieceWriter, type SendPiece } from "./representations/forms/piece-writer";
export { knownRepresentation, type Representation } from "./representations/representation";
export { EVERYTHING } from "./request/everything-parts";
export {
  type ApiRequest,
  type ApiResponse,
  type Middleware,
  type Next,
  type RequestAudit,
  RequestContext,
  type SentObject,
} from "./request/request-context";
export { NO_QUERY, type PeerFinder, readRequestInfo, unreadable } from "./request/request-info";
export {
  type ActionRequest,
  type CollectionRequest,
  type ConnectionRequest,
  type HistoryRequest,
  type ItemRequest,
  namesNoResource,
  type PathRequest,
  type QuestionRequest,
  type RefusedPart,
  type RemoteRequest,
  type RequestedPart,
  type RequestInfo,
  type ServedRequest,
  type SeveralRequest,
  type UnservedRequest,
} from "./request/request-kinds";
export { type AuditAnnotation, type SharedAnnotations, sharedAnnotations } from "./request/shared-annotations";
export { WATCH_PATH } from "./request/watched-parts";
export { answerKind, revisionListKind } from "./routes/answer-kind";
export {
  type ActionHandler,
  type ActionRoute,
  type NamedConnection,
  partOf,
  type Question,
  type RequestedAction,
  type ResourceRoute,
  type Route,
  type ServedRoute,
  type VirtualHandler,
} from "./routes/resource-route";
export { type GroupRoutes, PathConflictError, ResourceRoutes } from "./routes/resource-routes";
export type { ServedResource } from "./routes/served-resource";
export { versionsInOrder } from "./routes/version-order";
