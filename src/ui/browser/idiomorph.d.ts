// In the browser, `./idiomorph.js` is the ES module of the package; the server serves it there.
export { Idiomorph } from 'idiomorph';
