// Builds the package: dist/ (everything bundled, no dependencies), prebuilds/ (SQLite for every platform) and the
// license notices of the bundled packages.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { escapeCharacter } from '../src/kernel/printable.ts';
import { beginBuild } from './build-state.mjs';
import { compileDeclarations, copyReachable } from './declarations.mjs';
import { writeNotices } from './notices.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => path.join(root, ...parts);

/**
 * Test runners execute code in their own realm. That of jest-environment-jsdom lacks some globals of Node.js and
 * replaces others: its timers have no `unref`, and `fetch` rejects its signals. The bundle takes these from the realm
 * of Node.js.
 */
const HOST_GLOBALS = [
  ...['AbortController', 'AbortSignal', 'DOMException'],
  ...['TextDecoder', 'TextDecoderStream', 'TextEncoder'],
  ...['Blob', 'File', 'FormData', 'Headers', 'Request', 'Response', 'fetch'],
  ...['ReadableStream', 'TransformStream', 'WritableStream', 'URL', 'URLSearchParams'],
  ...['performance', 'structuredClone', 'Uint8Array'],
];
const REALM = 'sandlot-realm';

/** Globals of bundled packages by the module that replaces them. `@hono/node-server` names some in full. */
const REPLACED_GLOBALS = {
  ...Object.fromEntries(HOST_GLOBALS.map((name) => [name, [REALM, name]])),
  'global.Request': [REALM, 'Request'],
  'global.Response': [REALM, 'Response'],
  'globalThis.Headers': [REALM, 'Headers'],
  ...Object.fromEntries(
    ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate'].map((name) => [
      name,
      [at('src/kernel/timers.ts'), name],
    ]),
  ),
};

/**
 * The modules of the command line and the server by the chunk that has them: few files are read faster than many. Small
 * commands load `cli`, `shared`, and `resources` if they show any, but no server; programs load no command line.
 */
const chunks = {
  cli: new Set(),
  shared: new Set(),
  resources: new Set(),
  'start-server': new Set(),
};
const findChunks = {
  name: 'find-chunks',
  buildEnd() {
    const reachable = (roots) => {
      const found = new Set(roots);
      for (const id of found)
        for (const each of this.getModuleInfo(id).importedIds) found.add(each);
      return found;
    };
    const loadedBy = (folder) =>
      [...this.getModuleIds()].filter((id) =>
        this.getModuleInfo(id).dynamicImporters.some((importer) => importer.startsWith(at(folder))),
      );
    const usesDatabase = (id) => reachable([id]).has(at('src/store/prepared.ts'));
    const commandFiles = loadedBy('src/cli/modules.ts');
    const cli = reachable([at('src/main.ts'), ...commandFiles]);
    for (const id of commandFiles) cli.delete(id);
    const ofCommands = reachable(loadedBy('src/cli').filter((id) => !usesDatabase(id)));
    const server = reachable([
      at('src/cli/commands/server/settings.ts'),
      at('src/cli/commands/server/run-server.ts'),
    ]);
    const ofPackage = reachable([at('src/package.ts'), ...server]);
    for (const id of [...cli, ...server]) {
      if (cli.has(id)) chunks[ofPackage.has(id) ? 'shared' : 'cli'].add(id);
      else chunks[ofCommands.has(id) ? 'resources' : 'start-server'].add(id);
    }
  },
};

const completeBuild = beginBuild(root);
fs.rmSync(at('dist'), { recursive: true, force: true });
// It takes longest, so it runs beside the rest.
const declarations = compileDeclarations(root);

const bundle = await rolldown({
  cwd: root,
  input: {
    cli: at('src/main.ts'),
    index: at('src/package.ts'),
    'seed-template': at('scripts/seed-template.ts'),
  },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  // The CommonJS build of jsonc-parser cannot be bundled; its ES modules can.
  resolve: {
    mainFields: ['module', 'main'],
    alias: { '@modelcontextprotocol/server/_shims': at('scripts/mcp-shims.mjs') },
  },
  external: [/^node:/, REALM],
  transform: { inject: REPLACED_GLOBALS },
  plugins: [findChunks],
  logLevel: 'warn',
});
const { output } = await bundle.write({
  dir: at('dist'),
  // CommonJS: better-sqlite3 finds its binary beside __dirname, and Node's compile cache works best.
  format: 'cjs',
  // With line breaks and names of classes: Node.js prints the line of code and the class of an uncaught error.
  minify: {
    compress: true,
    mangle: { keepNames: { function: false, class: true } },
    codegen: { removeWhitespace: false },
  },
  comments: false,
  sourcemap: false,
  entryFileNames: '[name].cjs',
  chunkFileNames: '[name]-[hash].cjs',
  codeSplitting: {
    groups: Object.entries(chunks).map(([name, modules]) => ({
      name,
      test: (id) => modules.has(id),
      includeDependenciesRecursively: false,
    })),
  },
  paths: { [REALM]: './realm.cjs' },
});
await bundle.close();

// Rolldown exports through getters, which cost a call per use. No binding changes after its chunk has run.
const GETTER =
  /Object\.defineProperty\(exports, "([\w$]+)", \{\s*enumerable: !0,\s*get: function\(\) \{\s*return ([^;]+);\s*\}\s*\}\)/g;
for (const { fileName } of output.filter(({ type }) => type === 'chunk')) {
  const file = at('dist', fileName);
  const code = fs.readFileSync(file, 'utf8').replaceAll(GETTER, 'exports.$1 = $2');
  // V8 stores a source that is not ASCII with twice the bytes. Only literals have other characters.
  fs.writeFileSync(file, code.replace(/[^\0-\x7f]/g, escapeCharacter));
}

fs.copyFileSync(at('scripts/realm.cjs'), at('dist/realm.cjs'));

const sqlite = path.dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'));
fs.rmSync(at('prebuilds'), { recursive: true, force: true });
fs.cpSync(path.join(sqlite, 'prebuilds'), at('prebuilds'), { recursive: true });

// Stylesheets and scripts are served as they are written.
for (const folder of ['css', 'browser']) {
  fs.cpSync(at('src/ui', folder), at('dist/ui', folder), {
    recursive: true,
    filter: (file) => !/\.(?:json|ts)$/.test(file),
  });
}

const swagger = path.dirname(
  createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'),
);
const SWAGGER_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
];
for (const file of SWAGGER_FILES) {
  fs.cpSync(path.join(swagger, file), at('dist/ui/swagger-ui-dist', file));
}
const MORPH = 'idiomorph/dist/idiomorph.esm.js';
fs.cpSync(at('node_modules', MORPH), at('dist/ui', MORPH));

for (const file of fs.globSync('tools/*/browser.js', { cwd: at('src') })) {
  fs.cpSync(at('src', file), at('dist', file));
}

// The default world is seeded now, so that a first start only copies it.
execFileSync(process.execPath, [at('dist/seed-template.cjs')], { stdio: 'inherit' });
fs.rmSync(at('dist/seed-template.cjs'));

const entry = output.find(
  (chunk) => chunk.type === 'chunk' && chunk.name === 'index' && chunk.isEntry,
);
const names = entry.exports.filter((name) => name !== 'default').sort();
fs.writeFileSync(
  at('dist/index.mjs'),
  `import sandlot from './index.cjs';\nexport const { ${names.join(', ')} } = sandlot;\n`,
);

const bundled = output
  .filter((chunk) => chunk.type === 'chunk')
  .flatMap((chunk) => Object.keys(chunk.modules));
writeNotices(
  root,
  [...bundled, path.join(swagger, 'swagger-ui-bundle.js'), at('node_modules', MORPH)],
  at('THIRD-PARTY-NOTICES.txt'),
);

/** Prints the types of the control API. The source derives them from its endpoints, which the package does not declare. */
async function printControlTypes() {
  const file = at('dist/control-types.mjs');
  const script = await rolldown({ cwd: root, input: at('scripts/control-types.ts') });
  await script.write({ file });
  await script.close();
  const { controlTypes } = await import(pathToFileURL(file));
  fs.rmSync(file);
  const { createSandbox } = createRequire(import.meta.url)(at('dist/index.cjs'));
  const sandbox = await createSandbox({ port: false, inventory: 0 });
  const document = await sandbox.control.get('/openapi.json', { api: 'control' });
  await sandbox.close();
  return controlTypes(document);
}

const controlTypes = await printControlTypes();
copyReachable(await declarations, at('dist/types'), 'package', {
  'control/endpoint-types': controlTypes,
});
completeBuild();
