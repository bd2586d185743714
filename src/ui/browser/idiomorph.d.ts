// The server serves the ES module of the package at this place.
export { Idiomorph } from 'idiomorph';
