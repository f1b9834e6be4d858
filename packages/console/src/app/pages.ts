// The pages of the console: a page is added by one import and one row. The first one is shown without a route.
import { KindsPage } from "../kinds/kinds-page";
import { lazyView } from "../parts/lazy-view";
import type { PageView } from "../parts/page-view";
import { TablePage } from "../table/table-page";

const ObjectPage = lazyView(() => import("../object/object-page").then((module) => module.ObjectPage));
const DeletedPage = lazyView(() => import("../object/deleted-page").then((module) => module.DeletedPage));
const EditPage = lazyView(() => import("../edit/edit-page").then((module) => module.EditPage));
const CreatePage = lazyView(() => import("../edit/create-page").then((module) => module.CreatePage));
const AccessPage = lazyView(() => import("../access/access-page").then((module) => module.AccessPage));
const ClusterPage = lazyView(() => import("../cluster/cluster-page").then((module) => module.ClusterPage));

export const PAGES: readonly PageView[] = [
  { path: "kinds", title: "Kinds", isListed: true, jump: "k", view: KindsPage },
  { path: "objects", title: "Objects", view: TablePage },
  { path: "object", title: "Object", view: ObjectPage },
  { path: "deleted", title: "Deleted objects", view: DeletedPage },
  { path: "edit", title: "Edit", view: EditPage },
  { path: "access", title: "Access", isListed: true, jump: "a", view: AccessPage },
  { path: "cluster", title: "Cluster", isListed: true, jump: "l", view: ClusterPage },
  { path: "create", title: "Create", view: CreatePage },
];
