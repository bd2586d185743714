import fs from 'node:fs';
import path from 'node:path';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { commandLine } from '../../cli/command-line.ts';
import { emptyDirectory } from '../../support/sandlot-process.ts';

const ENTRY = { command: 'sandlot', args: ['mcp', '--world', 'mcp-my-shop'] };

/** A git worktree with a folder in it, and a shell there. */
function worktree(name = 'My Shop') {
  const folder = path.join(emptyDirectory(), name);
  const cwd = path.join(folder, 'packages', 'api');
  fs.mkdirSync(cwd, { recursive: true });
  fs.writeFileSync(path.join(folder, '.git'), 'gitdir: elsewhere\n');
  const at = (file: string) => path.join(folder, file);
  return {
    run: commandLine(undefined, { cwd }),
    read: (file: string) => fs.readFileSync(at(file), 'utf8'),
    write: (file: string, text: string) => {
      fs.mkdirSync(path.dirname(at(file)), { recursive: true });
      fs.writeFileSync(at(file), text);
    },
    exists: (file: string) => fs.existsSync(at(file)),
    folder,
  };
}

test.each([
  ['claude', '.mcp.json', 'mcpServers'],
  ['cursor', '.cursor/mcp.json', 'mcpServers'],
  ['vscode', '.vscode/mcp.json', 'servers'],
])(
  '%s: writes %s in the folder of the worktree, with a world named after it',
  async (client, file, servers) => {
    const { run, read, folder } = worktree();
    const stdout = `Wrote ${path.join(folder, file)}\n`;
    expect(await run(`mcp add ${client}`)).toMatchObject({ code: 0, stdout });
    expect(JSON.parse(read(file))).toEqual({ [servers]: { sandlot: ENTRY } });
    const again = await run(`mcp add ${client} --json`);
    expect(again.json()).toMatchObject({ changed: false, entry: ENTRY });
  },
);

test('codex: writes .codex/config.toml, after what it has', async () => {
  const { run, read, write } = worktree();
  const before = 'model = "o"\n\n[mcp_servers.other]\ncommand = "other"\n';
  const block =
    '[mcp_servers.sandlot]\ncommand = "sandlot"\nargs = ["mcp", "--world", "mcp-my-shop"]\n';
  write('.codex/config.toml', before);
  await run('mcp add codex');
  expect(read('.codex/config.toml')).toBe(`${before}\n${block}`);
  // Git may convert the line breaks on Windows.
  for (const text of [`${before}\n${block}`, `${before}\n${block}`.replaceAll('\n', '\r\n')]) {
    write('.codex/config.toml', text);
    expect((await run('mcp add codex')).stdout).toContain('has this entry already');
    expect(read('.codex/config.toml')).toBe(text);
  }
});

test.each([
  ['claude', '.mcp.json/x', '.mcp.json: it is a folder'],
  ['cursor', '.cursor', '.cursor: it is not a folder'],
])('%s: says why its file cannot be used if %s exists', async (client, file, problem) => {
  const { run, write, folder } = worktree();
  write(file, '');
  const { code, stderr } = await run(`mcp add ${client}`);
  expect(stderr).toContain(`error: cannot use ${path.join(folder, problem)}\n`);
  expect(code).toBe(2);
});

test('keeps other servers, comments, the mode of the file, and a link to it', async () => {
  const { run, read, write, folder } = worktree();
  const file = path.join(folder, '.vscode/mcp.json');
  write(
    '.vscode/mcp.json',
    '{\n  // ours\n  "servers": {\n    "other": { "command": "o" },\n  },\n}\n',
  );
  fs.chmodSync(file, 0o666);
  fs.renameSync(file, `${folder}/shared.json`);
  fs.symlinkSync(`${folder}/shared.json`, file);
  expect((await run('mcp add vscode')).code).toBe(0);
  expect(fs.lstatSync(file).isSymbolicLink()).toBe(true);
  if (process.platform !== 'win32') expect(fs.statSync(file).mode & 0o777).toBe(0o666);
  expect(read('.vscode/mcp.json')).toContain('// ours');
  const errors: ParseError[] = [];
  const config = parseJsonc(read('.vscode/mcp.json'), errors, { allowTrailingComma: true });
  expect(config).toEqual({ servers: { other: { command: 'o' }, sandlot: ENTRY } });
  expect(errors).toEqual([]);
});

test.each([
  ['claude', '.mcp.json', '{ "mcpServers": { "sandlot": { "command": "mine" } } }'],
  ['claude', '.mcp.json', '{ "mcpServers": ', 2, '.mcp.json:1: not valid JSON'],
  ['claude', '.mcp.json', '{\n"mcpServers": [] }', 2, '.mcp.json:2: mcpServers: '],
  ['codex', '.codex/config.toml', '[mcp_servers.sandlot]\ncommand = "mine"\n'],
  ['codex', '.codex/config.toml', '[ mcp_servers . "sandlot" ]\ncommand = "mine"\n'],
  ['codex', '.codex/config.toml', 'mcp_servers.sandlot.command = "mine"\n'],
  ['codex', '.codex/config.toml', '[mcp_servers]\nsandlot = { command = "mine" }\n'],
  ['codex', '.codex/config.toml', '[mcp_servers.sandlot] # ours\ncommand = "mine"\n'],
  ['codex', '.codex/config.toml', 'mcp_servers = { sandlot = { command = "mine" } }\n'],
])('%s: changes nothing if %s is %j', async (client, file, text, exitCode = 1, message = '') => {
  const { run, read, write } = worktree();
  write(file, text);
  const { code, stderr } = await run(`mcp add ${client}`);
  expect(code).toBe(exitCode);
  expect(stderr).toContain(message || 'has another entry "sandlot"');
  expect(read(file)).toBe(text);
  expect((await run(`mcp add ${client} --print`)).stdout).toContain('mcp-my-shop');
});

test('--world and --url are those of the entry', async () => {
  const { run, exists } = worktree();
  expect((await run('mcp add claude --world No')).code).toBe(2);
  expect(exists('.mcp.json')).toBe(false);
  const { json } = await run('mcp add claude --json --world mine --url http://[::1]:4020');
  const args = ['mcp', '--world', 'mine', '--url', 'http://[::1]:4020'];
  expect(json()).toMatchObject({ entry: { args } });
});

test('--print writes no file', async () => {
  const { run, exists } = worktree();
  const { code, json } = await run('mcp add claude --print');
  expect([code, json()]).toEqual([0, { mcpServers: { sandlot: ENTRY } }]);
  expect(exists('.mcp.json')).toBe(false);
});

test.each([
  ['a project that has sandlot as a dependency', 'node_modules/sandlot/package.json'],
  ['a clone of sandlot', 'bin/sandlot.cjs'],
  ['a package that has it', 'packages/api/node_modules/sandlot/x', '--prefix', 'packages/api'],
])('%s runs that one, and downloads nothing', async (_, file, ...place) => {
  const { run, read, write } = worktree();
  write(file, '{}');
  await run('mcp add claude');
  const sandlot = { command: 'npx', args: ['--no', ...place, 'sandlot', ...ENTRY.args] };
  expect(JSON.parse(read('.mcp.json'))).toEqual({ mcpServers: { sandlot } });
});

test('the name of any folder gives a valid world', async () => {
  const { run } = worktree(`Büro ${'x'.repeat(80)}`);
  const { stdout } = await run('mcp add claude --print');
  const [, , world] = JSON.parse(stdout).mcpServers.sandlot.args;
  expect(world).toBe(`mcp-b-ro-${'x'.repeat(54)}`);
});
