'use strict';
// Old syntax on purpose: this file must be readable by the versions that it turns away.

/**
 * Returns a sentence about a machine without a binary of SQLite, or a JavaScript runtime that cannot load one, and crashes
 * without a word: it needs Node-API 10, which came with Node.js 22.14 and 23.6, and Deno 2.9; Bun has it since 1.4.1,
 * whatever it says.
 */
module.exports = function describeUnsupported({ versions, platform, arch }) {
  const machine = `${platform}-${arch}`;
  if (!/^(?:darwin|linux|win32)-(?:arm64|x64)$/.test(machine)) {
    return `sandlot runs on Linux, macOS and Windows with x64 or arm64; this is ${machine}.`;
  }
  if (versions.bun) {
    return isOlder(versions.bun, [1, 4, 1]) ? sentence('Bun', '1.4.1', versions.bun) : undefined;
  }
  if (Number(versions.napi) >= 10) return undefined;
  if (versions.deno) return sentence('Deno', '2.9', versions.deno);
  return sentence('Node.js', /^23\./.test(versions.node) ? '23.6' : '22.14', versions.node);
};

function sentence(name, needed, version) {
  return `sandlot needs ${name} ${needed} or newer; this is ${name} ${version}.`;
}

function isOlder(version, needed) {
  const parts = version.split('.').map(Number);
  for (let i = 0; i < needed.length; i += 1) {
    if (parts[i] !== needed[i]) return parts[i] < needed[i];
  }
  return false;
}
