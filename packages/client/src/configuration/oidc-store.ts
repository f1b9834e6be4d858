// Tokens of an OpenID Connect provider in the client configuration file that holds their user.
import { readFileSync } from "node:fs";
import { ConfigurationError, type OidcStore } from "../connection/connection-settings";
import { textsOf } from "../connection/oidc-settings";
import { changeConfiguration } from "./change-configuration";
import { parseConfiguration } from "./parse-configuration";

/** @param file undefined: the user is in no file, and its tokens cannot be saved */
export function oidcStore(user: string, file: string | undefined): OidcStore {
  return {
    id: JSON.stringify([file ?? "", user]),
    read: () => {
      if (file === undefined) return undefined;
      const provider = parseConfiguration(readFileSync(file, "utf8"), file).users.get(user)?.["auth-provider"];
      return provider && textsOf(provider.config);
    },
    write: async (changes) => {
      if (file === undefined) throw new ConfigurationError(`user "${user}" is in no file`);
      await changeConfiguration(file, (configuration) => configuration.setAuthProvider(user, changes));
    },
  };
}
