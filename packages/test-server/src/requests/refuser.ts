// Tells which part of the server refused a request, from the answer and the audit annotations.
import type { AuditEvent } from "@orch/audit";
import type { Refuser } from "./recorded-request";

/** Returns undefined for an answer that is no failure. */
export function refuserOf({ code, status, annotations, request }: AuditEvent): Refuser | undefined {
  if (code === undefined || code < 400) return undefined;
  switch (code) {
    case 401:
      return "authentication";
    case 403:
      return isAuthorizationRefusal(annotations) ? "authorization" : "admission";
    case 409:
      return "conflict";
    case 422:
      return "validation";
    case 429:
      return "limits";
    default:
      if (code >= 500) return "server";
      return isAdmissionMessage(status?.message) && request.method !== "GET" ? "admission" : "request";
  }
}

const DECISION = /\/decision$/;

const isAuthorizationRefusal = (annotations: AuditEvent["annotations"]): boolean =>
  Object.entries(annotations).some(([name, value]) => DECISION.test(name) && value === "forbid");

const isAdmissionMessage = (message = ""): boolean => message.includes("denied the request");
