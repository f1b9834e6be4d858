// The pages of the console: a page is added by one import and one row. The first one is shown without a route.
import { KindsPage } from "../kinds/kinds-page";
import type { PageView } from "../parts/page-view";
import { TablePage } from "../table/table-page";

export const PAGES: readonly PageView[] = [
  { path: "kinds", title: "Kinds", isListed: true, jump: "k", view: KindsPage },
  { path: "objects", title: "Objects", view: TablePage },
];
