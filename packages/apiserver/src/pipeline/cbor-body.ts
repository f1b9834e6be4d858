// Translates bodies in CBOR to JSON before they are handled, so that every rule and every audit event sees one form.
// Feature gate CBORServingAndStorage. Source: KEP-4222.
import { REQUEST_BODY_MAX_BYTES } from "@orch/http-server";
import { badRequest, mediaTypeIn } from "@orch/machinery";
import { type EventLoopYielder, runInSlices } from "@orch/platform";
import type { ApiRequest, Middleware } from "@orch/request";
import { CborError, cborToJson } from "@orch/schema";

/** Media types of bodies in CBOR, and what the translated body is. JSON is also YAML. */
const TRANSLATED: Readonly<Record<string, string>> = {
  "application/cbor": "application/json",
  "application/apply-patch+cbor": "application/apply-patch+yaml",
};

/** @param handler runs with the translated body */
export function cborBody({ loop }: { readonly loop: EventLoopYielder }, handler: Middleware): Middleware {
  return (request, response, next) => {
    const translated = translatedType(request);
    if (translated === undefined || request.context.body.length === 0) return handler(request, response, next);
    return translate(request, translated, loop).then(() => handler(request, response, next));
  };
}

/** Returns undefined for a body in another form. A patch in plain CBOR has no kind. */
function translatedType({ headers, method }: ApiRequest): string | undefined {
  const contentType = headers["content-type"];
  if (contentType === undefined || contentType === "application/json") return undefined;
  const type = mediaTypeIn(contentType);
  if (type.includes("patch") !== (method === "PATCH")) return undefined;
  return Object.hasOwn(TRANSLATED, type) ? TRANSLATED[type] : undefined;
}

/** @throws StatusError BadRequest (400) */
async function translate({ context, headers }: ApiRequest, type: string, loop: EventLoopYielder): Promise<void> {
  try {
    context.body = await runInSlices(cborToJson(context.body, REQUEST_BODY_MAX_BYTES), loop);
  } catch (error) {
    if (!(error instanceof CborError)) throw error;
    throw badRequest(`the body of the request is not an object in CBOR: ${error.message}`);
  }
  headers["content-type"] = type;
}
