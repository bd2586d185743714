'use strict';
// The globals of Node.js's own realm, of which every built-in function knows the way to its global object. Some are
// loaded when they are first read, so none is read before it is needed.
const { inspect } = require('node:util');
let host = globalThis;
try {
  host = inspect.constructor('return globalThis')();
} catch {
  // Without code from strings, only this realm can be reached.
}
module.exports = host;
