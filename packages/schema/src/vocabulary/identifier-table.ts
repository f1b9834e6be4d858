// Type of the tables in this folder: id → the name in either vocabulary.
export type IdentifierTable = { readonly [id: string]: readonly [orch: string, kubernetes: string] };
