// Times of taints that clients do not give. Source: SetDefaults_DeviceTaint in pkg/apis/resource/v1/defaults.go, which
// sets the time of the request.
import { objectAt, objectsAt, type RuleContext } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

/** Sets the time of a taint without one. The server's own writes have no time of a request. */
export function timeTaint(taint: JsonValue | undefined, { request }: RuleContext): void {
  if (request !== undefined && isObject(taint)) taint["timeAdded"] ??= request.now;
}

/** Sets the times of the taints of a slice's devices. */
export function timeTaintsOfSlice(slice: JsonObject, context: RuleContext): void {
  for (const device of objectsAt(objectAt(slice, "spec"), "devices"))
    for (const taint of objectsAt(device, "taints")) timeTaint(taint, context);
}
