/** A secret that comes only when it is asked for. @param from the route that tells it, as `secret` */
export function Secret({ from, of }: { from: string; of: string }) {
  return (
    <span class="secret" data-keep>
      <code data-secret>••••••••••••</code>{' '}
      <button type="button" class="plain small scripted" data-reveal={from} aria-pressed="false">
        <span class="word">Show</span>
        <span class="unseen"> the secret of {of}</span>
      </button>
    </span>
  );
}
