// An admission webhook over real TLS that records its reviews and answers as a test says.
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeSelfSignedCa } from "@orch/http-server";

// biome-ignore lint/suspicious/noExplicitAny: reviews are JSON from outside; tests look at what they expect.
export type Review = any;

export interface AdmissionWebhook {
  /** The reviews with their request paths and headers. */
  readonly asked: { readonly path: string; readonly review: Review; readonly headers: IncomingHttpHeaders }[];
  /** Members of the response besides its uid. Default: allowed. */
  answer: (request: Review, path: string) => object;
  /** Returns the location to which a request is redirected (307). Default: none is. */
  redirect: (path: string) => string | undefined;
  readonly port: number;
  /** Returns the clientConfig of a webhook configuration. @param path of its URL */
  clientConfig(path?: string): { readonly url: string; readonly caBundle: string };
  close(): Promise<void>;
}

/** @param names more DNS names of its certificate */
export async function admissionWebhook(names: readonly string[] = []): Promise<AdmissionWebhook> {
  const authority = makeSelfSignedCa(["127.0.0.1", ...names]);
  const { certificate: cert, key } = authority.serving;
  const asked: AdmissionWebhook["asked"] = [];
  const server = createServer({ cert, key }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const review: Review = JSON.parse(Buffer.concat(pieces).toString());
      const path = (request.url ?? "").split("?")[0] as string;
      asked.push({ path, review, headers: request.headers });
      const location = made.redirect(path);
      if (location !== undefined) {
        response.writeHead(307, { location }).end();
        return;
      }
      const { kind, apiVersion } = review;
      const said = { uid: review.request.uid, allowed: true, ...made.answer(review.request, path) };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ kind, apiVersion, response: said }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const made: AdmissionWebhook = {
    asked,
    port,
    answer: () => ({}),
    redirect: () => undefined,
    clientConfig: (path = "/") => ({
      url: `https://127.0.0.1:${port}${path}`,
      caBundle: Buffer.from(authority.ca.certificate).toString("base64"),
    }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}
