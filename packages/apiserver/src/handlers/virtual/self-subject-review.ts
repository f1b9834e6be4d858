// Who am I? Also for who is impersonating: who the request is carried out as. Source: facts, authentication.v1.json.
import type { VirtualHandler } from "../../routes/resource-route";
import { userJson } from "./user-json";

export const selfSubjectReview: VirtualHandler = (_deps, { user }) => ({ userInfo: userJson(user) });
