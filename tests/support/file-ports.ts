/**
 * Ports of the tests' file servers. The services of a run may call them on the loopback, though a
 * server starts after its service. They are below the ports that the system assigns.
 */
const FIRST = 18_100;
/** More than servers at once of several runs on one machine. */
const COUNT = 32;

const FILE_PORTS = Array.from({ length: COUNT }, (_, at) => FIRST + at);

/** The setting that lets a service fetch their files. */
export const FILE_PORTS_ALLOWED = {
  PRIVATE_NETWORK_ALLOW: FILE_PORTS.map((port) => `127.0.0.1:${port}`).join(),
} as const;

/** From any of them on: a port of a server that has just gone is rarely the next one's. */
export function filePorts(): readonly number[] {
  const at = Math.floor(Math.random() * COUNT);
  return [...FILE_PORTS.slice(at), ...FILE_PORTS.slice(0, at)];
}
