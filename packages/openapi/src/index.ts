// OpenAPI and discovery: the documents that describe the served API.

export type { AggregatedVersion, DiscoveryRoot } from "./discovery/aggregated-document";
export { answerDiscovery } from "./discovery/discovery-answer";
export { Discovery, type DiscoveryDocument, type DiscoverySource } from "./discovery/discovery-documents";
export { type DocumentInfo, JsonForm, ProtobufForm } from "./documents/document-form";
export type { DocumentPart } from "./documents/document-parts";
export type { DocumentPiece, DocumentSource } from "./documents/document-source";
export { type Form, PublishedSchema, type SchemaSource, type Version2Source } from "./documents/published-schema";
export { RouteDocuments } from "./documents/route-documents";
export { Slices } from "./documents/slices";
export { type Version3Document, Version3Documents, version3Url } from "./documents/version3-documents";
