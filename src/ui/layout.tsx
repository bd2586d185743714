import type { Child, PropsWithChildren } from 'hono/jsx';

/** Renders the title of a page, its description, and the actions on all of it. */
export function PageHeader({
  title,
  children,
  actions,
}: PropsWithChildren<{ title: Child; actions?: Child }>) {
  return (
    <div class="page-header">
      <div>
        <h1>{title}</h1>
        {children && <p class="lead">{children}</p>}
      </div>
      {actions && <div class="row">{actions}</div>}
    </div>
  );
}

export function Section({
  title,
  id,
  children,
  actions,
}: PropsWithChildren<{ title: string; id: string; actions?: Child }>) {
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** Renders a card that is closed at first. */
export function Details({ title, id, children }: PropsWithChildren<{ title: string; id: string }>) {
  return (
    <details class="card details" id={id}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Renders names with their values. Items whose value is null, undefined or false are left out. */
export function DescriptionList({
  items,
  class: className = '',
}: {
  items: readonly (readonly [name: Child, value: Child])[];
  class?: string;
}) {
  return (
    <dl class={`list ${className}`.trim()}>
      {items
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
