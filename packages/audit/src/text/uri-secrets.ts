// Removes tokens from the query of the audited URI. Clients that cannot send headers send their token there.

const TOKEN = /([?&](?:access_token|token)=)[^&#]*/gi;

export const withoutSecrets = (uri: string): string => (uri.includes("token") ? uri.replace(TOKEN, "$1REDACTED") : uri);
