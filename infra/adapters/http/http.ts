/**
 * `node:http` without its ES module facade. The facade reads every export, `WebSocket` among them.
 * That one loads the client that is built into Node.js: a quarter of the start of a process.
 */
const { createServer, get } = process.getBuiltinModule('node:http');

export { createServer, get };
