import type { BuiltInResource } from "../built-in-resource";
import { count } from "../selectable-fields";
import { jobColumns } from "./job-columns";

export const jobs = {
  group: "batch",
  kind: "Job",
  plural: "jobs",
  categories: ["all"],
  scope: "Namespaced",
  versions: [{ version: "v1", introduced: "1.2", orphansDependents: true }],
  rules: { nameFormat: "subdomain", initialStatus: {}, keepOnUpdate: ["status"] },
  subresources: { status: { keeps: ["spec"] } },
  selectableFields: { "status.successful": count("status.succeeded") },
  columns: jobColumns,
} as const satisfies BuiltInResource;
