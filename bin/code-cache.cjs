'use strict';
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { crc32 } = require('node:zlib');

/** By then, a server has usually run the code of its first request, which is saved too. */
const SAVE_AFTER_MS = 300;

const BUNDLE = path.join(__dirname, '..', 'dist');

/**
 * Makes `require` load the bundle with the code that V8 compiled in an earlier run, and saves what this run compiles when it
 * exits. Node's own compile cache has no function that V8 compiles at its first call: a start calls a thousand of them.
 * @param folder of the saved code
 * @param name of the saved code: other commands call other functions
 * @returns `saveCode` of a server, which may be killed: soon saves what is compiled so far, and then calls `setFlags`
 */
module.exports = function useCodeCache(folder, name) {
  const compiled = [];
  const loadOther = require.extensions['.cjs'] ?? require.extensions['.js'];
  require.extensions['.cjs'] = (module, filename) => {
    // A preloaded module may require its own files.
    if (path.dirname(filename) !== BUNDLE) return loadOther(module, filename);
    const source = fs.readFileSync(filename, 'utf8');
    // V8 itself compares only the length of the source.
    const file = path.join(folder, `sandlot-${name}-${crc32(source).toString(16)}`);
    // In the bundle, `import()` has become `require`.
    const script = new vm.Script(
      `(function (exports, require, module, __filename, __dirname) { ${source}\n})`,
      { filename, cachedData: readIfIntact(file) },
    );
    if (script.cachedDataRejected !== false) compiled.push({ file, script });
    const run = script.runInThisContext();
    const { exports } = module;
    run.call(exports, exports, createRequire(filename), module, filename, path.dirname(filename));
  };
  function save() {
    for (const { file, script } of compiled.splice(0)) {
      // Another process may read the file now.
      const newFile = `${file}.${process.pid}`;
      try {
        try {
          fs.writeFileSync(newFile, withChecksum(script.createCachedData()));
          fs.renameSync(newFile, file);
        } finally {
          // It exists if the disk is full or, on Windows, if another process reads the old one.
          fs.rmSync(newFile, { force: true });
        }
      } catch (_error) {
        // Only start-up time is lost.
      }
    }
  }
  process.on('exit', (exitCode) => {
    // A mistyped command has no code of its own.
    if (exitCode === 0) save();
  });
  return function saveCode(setFlags) {
    // V8 loads only code that was saved with the same flags.
    require.extensions['.cjs'] = loadOther;
    if (compiled.length === 0) return setFlags();
    setTimeout(() => {
      save();
      setFlags();
    }, SAVE_AFTER_MS).unref();
  };
};

/** V8 checks only the header of saved code, and crashes on damage after it. */
function withChecksum(code) {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(code));
  return Buffer.concat([code, checksum]);
}

function readIfIntact(file) {
  try {
    const bytes = fs.readFileSync(file);
    const code = bytes.subarray(0, -4);
    return bytes.readUInt32LE(code.length) === crc32(code) ? code : undefined;
  } catch (_error) {
    return undefined;
  }
}
