export { columnDefinitions } from "./column-definitions";
export { DEFAULT_COLUMNS } from "./default-columns";
export { type IncludeObject, parseIncludeObject } from "./include-object";
export { isReusable, type RowTemplate, rowMembers, rowTemplate } from "./row-template";
