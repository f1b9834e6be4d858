import "./tabs.css";

interface Tab {
  readonly title: string;
  readonly address: string;
  readonly isPresent: boolean;
}

/** Links to the views of a page. */
export const Tabs = ({ tabs }: { readonly tabs: readonly Tab[] }) => (
  <nav class="tabs" aria-label="Views">
    {tabs.map(({ title, address, isPresent }) => (
      <a key={title} href={address} aria-current={isPresent ? "page" : undefined}>
        {title}
      </a>
    ))}
  </nav>
);
