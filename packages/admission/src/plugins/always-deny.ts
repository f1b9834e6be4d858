// AlwaysDeny plugin: refuses every change. Source: plugin/pkg/admission/deny/admission.go.
import type { AdmissionRequest } from "@orch/machinery";
import { definePlugin } from "../plugin";
import { forbidden } from "../refusal";

export const alwaysDeny = definePlugin({
  name: "AlwaysDeny",
  reads: [],
  make: () => ({
    on: [{ operations: ["CREATE", "UPDATE", "DELETE", "CONNECT"] }],
    mutate: refuse,
    validate: refuse,
  }),
});

function refuse(request: AdmissionRequest): never {
  throw forbidden(request, "admission control is denying all modifications");
}
