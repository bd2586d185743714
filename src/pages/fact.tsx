import type { Child } from 'hono/jsx';

/** A line of a `<dl class="facts">`. */
export function Fact({ name, children }: { name: string; children: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
