// The HTTP server below the API: connections and their limits, TLS, requests and answers as bytes.

export {
  answerBytes,
  answered,
  answerJson,
  answerNothing,
  answerRedirect,
  answerText,
  headersOf,
  isHeadOnly,
  isInternal,
  JSON_TYPE,
  methodNotAllowed,
  READING_METHODS,
  sendBody,
} from "./http/answer";
export { BodyBudget } from "./http/body-budget";
export type { UnreadRequest } from "./http/broken-requests";
export { COMPRESS_FROM_BYTES, COMPRESSION_LEVEL, wantsGzip } from "./http/compression";
export { Connection } from "./http/connection";
export {
  answerContent,
  answerKnown,
  Content,
  ContentHasher,
  type ContentOptions,
  contentHash,
  IMMUTABLE,
} from "./http/content-answer";
export type { AnswerTap, Exchange, HttpRequest, HttpResponse, UpgradedConnection } from "./http/exchange";
export { Failures, workedFor } from "./http/failures";
export { connectionsMax, openFilesMax } from "./http/file-limit";
export { headersAreTooLarge } from "./http/header-bytes";
export { httpClassesOf, listenerOf } from "./http/http-classes";
export { OpenConnections } from "./http/open-connections";
export { RareLine } from "./http/rare-line";
export { giveUpBody, mayHaveBody, REQUEST_BODY_MAX_BYTES, readBody, receiveBody } from "./http/request-body";
export { readHost } from "./http/request-host";
export { RequestQueue } from "./http/request-queue";
export { type Expectation, type RequestListener, SecureListener } from "./http/secure-listener";
export { advertisedAddress, endpointAddress, isUnspecified, servingNames } from "./http/serving-names";
export { partsOfTarget } from "./http/target-parts";
export { ByteSocket, byteProtocols, type Handshake, webSocketHandshake } from "./http/web-socket";
export { makeAccountKey, type StoredKey, storedAccountKey } from "./tls/account-key";
export { writeFileAtomically } from "./tls/atomic-file";
export { ClientRevocation } from "./tls/client-revocation";
export { isDiskFull, isOfDisk } from "./tls/disk-failure";
export { EtcdFiles } from "./tls/etcd-files";
export { ADMIN_USER, makeClient, makeSelfSignedCa, openSelfSignedCa, SelfSignedCa } from "./tls/self-signed-ca";
export { type ClientAuthorities, ServingTls } from "./tls/serving-tls";
export { WatchedFiles, watchedCertificates, watchedPair } from "./tls/watched-material";
