export { jsonDifference } from "./json-difference";
export { applyJsonPatch } from "./json-patch";
export { type JsonPatchOperation, readJsonPatch } from "./json-patch-operation";
export { applyMergePatch } from "./merge-patch";
export { undecodablePatchResult } from "./patch-result";
export { applyStrategicMergePatch } from "./strategic-merge";
