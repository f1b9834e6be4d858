import { endImpersonation } from "../session/session";
import { focusMain } from "./focus-main";

/** Makes the user themselves again. The button that had the focus goes away with the impersonation. */
export function leaveImpersonation(): void {
  endImpersonation();
  focusMain();
}
