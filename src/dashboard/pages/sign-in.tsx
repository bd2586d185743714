import type { View } from '../reply.tsx';

/** Asks for the control token, once per browser. */
export function signInPage({ goOn, wrong }: { goOn: string; wrong: boolean }): View {
  return {
    title: 'Control token',
    status: 401,
    content: (
      <form class="card form sign-in" method="post" action="/_sandbox/dashboard/session">
        <h1>Control token</h1>
        <p class="quiet">
          This sandbox was started with --control-token. The browser keeps the answer until it is
          closed, in a cookie that no script and no other site can use.
        </p>
        <input type="hidden" name="go_on" value={goOn} />
        <div class="field">
          <label for="token">Token</label>
          <input
            id="token"
            name="token"
            type="password"
            required
            autofocus
            autocomplete="current-password"
            aria-invalid={wrong ? 'true' : undefined}
            aria-describedby={wrong ? 'wrong' : undefined}
          />
          {wrong && (
            <p class="problem" id="wrong" role="alert">
              This is not the token with which the sandbox was started.
            </p>
          )}
        </div>
        <p class="row">
          <button type="submit">Open the dashboard</button>
        </p>
      </form>
    ),
  };
}
