import type { Command, CommandModule } from './command.ts';

/** A command as tables name it: `orders show ID`. */
export function usageOf({ path, args }: Pick<Command, 'path' | 'args'>): string {
  const names = Object.values(args ?? {}).map((argument) => {
    const shown = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
    return argument.required ? shown : `[${shown}]`;
  });
  return [path, ...names].join(' ');
}

/** Returns a skill for coding agents, in the format of SKILL.md: how to set a sandbox up and use it. */
export function skillText(modules: readonly CommandModule[]): string {
  const groups = Map.groupBy(modules, ({ group }) => group);
  const tables = [...groups].map(([group, each]) => {
    const rows = each.flatMap(({ commands }) => commands.map(commandRow));
    return `### ${group}\n\n| command | options | |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${GUIDE}\n${tables.join('\n')}`;
}

function commandRow(command: Command): string {
  const options = Object.values(command.options ?? {})
    .filter(({ hidden }) => !hidden)
    .map(({ long }) => `\`${long}\``);
  return `| \`${usageOf(command)}\` | ${options.join(' ')} | ${command.summary} |`;
}

const GUIDE = `---
name: sandlot
description: Set up and drive a sandlot sandbox, a local emulator of the partner-facing domain-marketplace API. Use it to develop, test or debug code that signs partner API requests, sells domains or receives marketplace webhooks.
---

# sandlot

sandlot serves the whole partner API on this machine and lets you control it: clock, orders, faults, snapshots. It sells no
domains and moves no money. Every command below is \`sandlot COMMAND\`; in a project that has sandlot as a development
dependency, \`npx sandlot COMMAND\`.

## Rules

- Pass \`--json\` to read a result: stdout is one JSON document. Messages are on stderr. No command prompts.
- Exit codes: 0 success, 1 the sandbox rejected the call or a check failed, 2 wrong usage, 3 no sandbox responds.
- Do not sleep. Use \`wait\`, \`idle\` and \`clock advance\`.
- A client needs three values: SANDLOT_URL, SANDLOT_KEY_ID and SANDLOT_SECRET. \`status --json\` has them in \`env\`, and \`exec\`
  sets them.
- The same seed and the same calls give the same IDs, inventory and secrets. \`reset\` returns to the seed.
- Do not guess IDs, fields or states: list them, or read \`openapi\` and \`COMMAND --help\`.

## Start and stop

\`\`\`sh
sandlot start --detach --ephemeral
sandlot status --json
\`\`\`

\`sandlot stop\` ends it. For a test suite, \`sandlot exec -- npm test\` starts a sandbox on a free port, runs the command, and
stops the sandbox.

## Sell a domain

\`request\` signs with the default credential, sends, and prints the response body. A POST gets an Idempotency-Key if you pass
none.

\`\`\`sh
sandlot request GET '/api/partner/v1/domains/search?q=coffee'
sandlot request POST /api/partner/v1/orders --data '{"domain":"held-order.test","expected_price":250000,"currency":"USD","buyer":{"email":"ada@example.com"}}'
sandlot orders list --json
sandlot events list --json
\`\`\`

\`orders advance ID --to STATE\` moves an order as the marketplace would; \`orders why-not ID --to STATE\` says why it cannot and
what to do instead.

## Find out why a request fails

\`\`\`sh
sandlot requests list --status 4xx --json
sandlot doctor
\`\`\`

\`requests show ID\` has every check of a request. For a wrong signature it names the mistake. \`verify\` does the same offline.
\`orders show ID --story\` has what happened to an order: requests, moves, events and every webhook attempt.

## Webhooks

\`webhooks listen --register\` starts a receiver and runs until it is stopped. \`webhooks fire TYPE --url URL --secret SECRET\` sends a
signed sample event. \`webhooks gauntlet\` tests a receiver with forged, repeated and reordered deliveries.

\`\`\`sh
sandlot idle
sandlot webhooks deliveries --json
\`\`\`

## Time and faults

\`\`\`sh
sandlot clock advance 11m
sandlot faults add --method POST --path /orders --code internal_error --first 1
sandlot faults clear
\`\`\`

Domains such as \`lost-response.test\` misbehave without any setup: \`inventory list\` shows them.

## Commands

Every command also takes \`--json\`, \`--url\`, \`--world\`, \`--data-dir\` and \`--control-token\`.
`;
