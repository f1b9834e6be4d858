// Keeps the HTTP/1.1 parser of Node.js from losing bytes of requests on TLS connections.
//
// When a request arrives while an earlier answer is not flushed, Node.js stops reading the connection and pauses its
// parser. On a TLS connection more records of the same read may be decrypted already. They are passed to the paused
// parser, which fails with HPE_PAUSED and drops them. The client need not pipeline: an answer that is written in the
// check phase of the event loop counts as flushed only after the next poll phase, which may read the next request.
// Source: Node.js, lib/_http_server.js (`parserOnIncoming`, `onParserExecuteCommon`), and src/crypto/crypto_tls.cc
// (`TLSWrap::ClearOut`).
import type { TLSSocket } from "node:tls";

interface ParsedSocket extends TLSSocket {
  /** Parser of Node.js; absent on connections of HTTP/2. */
  readonly parser?: { pause(): void } | null;
}

/**
 * Disables the pause of the parser. The connection is still not read until the answer is flushed. The parser only
 * takes the rest of one read, at most 64 KiB; requests in it wait in the request queue, which is bounded. Parsers are
 * pooled by Node.js and keep this method, which is harmless without TLS: no bytes arrive after reading has stopped.
 * @param socket a connection to which Node.js has assigned its parser
 */
export function keepParsing({ parser }: ParsedSocket): void {
  if (parser) parser.pause = ignore;
}

function ignore(): void {}
