// SelfSubjectReview: the attributes of the client, or of the impersonated user. Source: KEP-3325.
import type { VirtualHandler } from "@orch/request";
import { userJson } from "./user-json";

export const selfSubjectReview: VirtualHandler = (_deps, { user }) => ({ userInfo: userJson(user) });
