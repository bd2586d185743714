// Takes the place of the default validator of @modelcontextprotocol/server, which contains 300 KB of ajv. Only answers to
// questions of a server are validated with it, and sandlot asks none.
export { default as process } from 'node:process';
export class DefaultJsonSchemaValidator {}
