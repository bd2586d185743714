import type { Child, PropsWithChildren } from 'hono/jsx';
import { type Place, to } from '../place.ts';
import { Command } from './copy.tsx';

/** The head of a page: its name, what it is for, and what can be done on all of it. */
export function Head({ title, children, acts }: PropsWithChildren<{ title: Child; acts?: Child }>) {
  return (
    <div class="head">
      <div>
        <h1>{title}</h1>
        {children && <p class="lead">{children}</p>}
      </div>
      {acts && <div class="row">{acts}</div>}
    </div>
  );
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  id,
  children,
  acts,
}: PropsWithChildren<{ title: string; id: string; acts?: Child }>) {
  return (
    <section class="card" aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {acts && <div class="row">{acts}</div>}
      </div>
      {children}
    </section>
  );
}

/** Something that is opened when it is wanted. */
export function Fold({ title, id, children }: PropsWithChildren<{ title: string; id: string }>) {
  return (
    <details class="card fold" id={id}>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** Stands where there is nothing yet, and says how there comes to be something. */
export function Empty({
  says,
  children,
  commands = [],
}: PropsWithChildren<{ says: string; commands?: readonly string[] }>) {
  return (
    <div class="empty">
      <p>
        <strong>{says}</strong>
      </p>
      {children && <p class="quiet">{children}</p>}
      {commands.map((text) => (
        <Command text={text} />
      ))}
    </div>
  );
}

/** What an address asks for cannot be shown: why, and the way back to what can. */
export function Problem({ at, message }: { at: Place; message: string }) {
  return (
    <div class="empty bad" role="alert">
      <p>
        <strong>{message}</strong>
      </p>
      <p>
        <a href={to(at, at.path)}>Show it without filters</a>
      </p>
    </div>
  );
}

/** Names and what belongs to them. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: Child])[] }) {
  return (
    <dl class="facts">
      {facts
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
