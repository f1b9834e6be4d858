// Decodes a protobuf body: an envelope that names the kind, then the message.
import {
  DecodeError,
  type Envelope,
  type JsonObject,
  ProtobufError,
  type ProtobufForm,
  readEnvelope,
} from "@orch/schema";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";

/** @param kind the expected kind, for the error; the caller checks it @throws StatusError BadRequest (400) */
export function openEnvelope(body: Buffer, kind: string): Envelope {
  const envelope = orRefuse(body, kind, () => readEnvelope(body));
  const { contentEncoding, contentType } = envelope;
  if (contentEncoding === "" && contentType === "") return envelope;
  const why = `the object in the envelope has the content type "${contentType}" and the encoding "${contentEncoding}"; both must be empty for protobuf`;
  throw badRequest(BAD_REQUEST_TEXT.unrecognized({ expected: kind, why, body }));
}

/**
 * @returns the object as a JSON body would contain it
 * @throws StatusError BadRequest (400) that names field and fault
 */
export function unpack(envelope: Envelope, form: ProtobufForm): JsonObject {
  return orRefuse(envelope.raw, envelope.kind, () => form.decode(envelope));
}

function orRefuse<T>(body: Buffer, kind: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ProtobufError || error instanceof DecodeError)) throw error;
    throw badRequest(BAD_REQUEST_TEXT.unrecognized({ expected: kind, why: error.message, body }));
  }
}
