import type { ComponentType } from "preact";
import type { Route } from "../routes/route";

export interface PageProps {
  readonly route: Route;
}

/** A page of the console, as the table of pages names it. */
export interface PageView {
  /** First part of its addresses. */
  readonly path: string;
  readonly title: string;
  /** Whether the navigation has a link to it. */
  readonly isListed?: boolean;
  /** Key that follows `g` to open the page. */
  readonly jump?: string;
  readonly view: ComponentType<PageProps>;
}
